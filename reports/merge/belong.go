package merge

import (
	"errors"
	"fmt"

	"github.com/exactlyonce/certify/reports"
	"github.com/exactlyonce/certify/reports/rundir"
)

// ErrNone: there is no shard in the paths.
var ErrNone = errors.New("no shard found")

// InputError: what was given cannot be merged. It wraps why.
type InputError struct{ Err error }

func (e *InputError) Error() string { return "merge: " + e.Err.Error() }
func (e *InputError) Unwrap() error { return e.Err }

// MismatchError: two shards do not belong together.
type MismatchError struct {
	A, B string // their paths
	What string
}

func (e *MismatchError) Error() string { return fmt.Sprintf("%s and %s: %s", e.A, e.B, e.What) }

// belong sorts the shards and returns what keeps them from being one run.
func belong(shards []shard) error {
	if len(shards) == 0 {
		return ErrNone
	}
	sorted(shards)
	first := shards[0]
	for i, s := range shards {
		if what := differs(first, s); what != "" {
			return &MismatchError{first.path, s.path, what}
		}
		if i > 0 && s.Shard == shards[i-1].Shard {
			return &MismatchError{shards[i-1].path, s.path, fmt.Sprintf("both are shard %s: a failure does not go away by running again", s.Shard)}
		}
	}
	return disjoint(shards)
}

// differs says what of two shards must be the same and is not.
func differs(a, b shard) string {
	for _, row := range []struct{ what, a, b, hint string }{
		{"plans", a.Pins[rundir.PlanFile], b.Pins[rundir.PlanFile], ": the flags, --seed among them, and the number of processors must be the same"},
		{"numbers of shards", fmt.Sprint(a.Shard.Of), fmt.Sprint(b.Shard.Of), ""},
		{"runners", a.Pins[reports.RunnerPin], b.Pins[reports.RunnerPin], ": Go and the C compiler must be the same"},
		{"commits", a.run.Fact("commit"), b.run.Fact("commit"), ""},
	} {
		if row.a != row.b {
			return fmt.Sprintf("different %s, %.12s and %.12s%s", row.what, row.a, row.b, row.hint)
		}
	}
	return ""
}

// disjoint: a repetition is in one shard only.
func disjoint(shards []shard) error {
	at := map[string]shard{}
	for _, s := range shards {
		for _, r := range s.Records {
			id := fmt.Sprintf("%s rep %d", r.Key, r.Rep)
			if before, ok := at[id]; ok {
				return &MismatchError{before.path, s.path, id + " is in both"}
			}
			at[id] = s
		}
	}
	return nil
}
