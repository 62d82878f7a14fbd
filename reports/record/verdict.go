package record

import "fmt"

// Verdict is the outcome of a repetition or of a whole run. A greater verdict
// is a worse one: max(a, b) is the verdict of two things together. The zero
// value is no verdict, so that a forgotten one never certifies.
type Verdict uint8

const (
	// Certified: every law that was checked held, above every floor.
	Certified Verdict = iota + 1
	// Inconclusive: nothing broke, but too little was seen to say so.
	Inconclusive
	// Failed: a law was seen broken.
	Failed
)

var verdicts = map[Verdict]struct {
	word string
	exit int
}{
	Certified:    {"CERTIFIED", 0},
	Inconclusive: {"INCONCLUSIVE", 3},
	Failed:       {"FAILED", 1},
}

// exitInfrastructure is what a command exits with when it never came to a
// verdict: the zero Verdict must not look like success.
const exitInfrastructure = 4

// ExitCode is the exit code of a command whose result is v.
func (v Verdict) ExitCode() int {
	if row, ok := verdicts[v]; ok {
		return row.exit
	}
	return exitInfrastructure
}

func (v Verdict) String() string {
	if row, ok := verdicts[v]; ok {
		return row.word
	}
	return fmt.Sprintf("Verdict(%d)", uint8(v))
}

// MarshalText refuses a value that is no verdict.
func (v Verdict) MarshalText() ([]byte, error) {
	if row, ok := verdicts[v]; ok {
		return []byte(row.word), nil
	}
	return nil, fmt.Errorf("record: verdict %d: not a verdict", uint8(v))
}

// UnmarshalText reads what String writes.
func (v *Verdict) UnmarshalText(text []byte) error {
	for verdict, row := range verdicts {
		if row.word == string(text) {
			*v = verdict
			return nil
		}
	}
	return fmt.Errorf("record: verdict %q: not a verdict", text)
}

// Reason names why a verdict is not Certified. The zero value is no reason
// and belongs to Certified.
type Reason string

// Reasons of Failed: each is a broken law.
const (
	Lost       Reason = "lost"       // a task never ran
	Duplicated Reason = "duplicated" // a task ran more than once, or was never submitted
	Reordered  Reason = "reordered"  // an order that was promised was not kept
	Race       Reason = "race"       // the race detector reported
	Stall      Reason = "stall"      // no progress before the deadline
	Leak       Reason = "leak"       // goroutines or processes were left behind
	Memory     Reason = "memory"     // the ceiling of the repetition was exceeded, or memory was left
	Crash      Reason = "crash"      // the process died and not by our hand
	Contract   Reason = "contract"   // an interface was not kept
	Regression Reason = "regression" // a gate on performance was not met
)

// Reasons of Inconclusive: each is something that was not seen.
const (
	Floor        Reason = "floor"       // the interesting cases happened too rarely
	Samples      Reason = "samples"     // too few repetitions
	MissingShard Reason = "shard"       // a part of the run is missing
	Noise        Reason = "noise"       // the host was too noisy to compare
	Guard        Reason = "guard"       // the host ran out of memory, or could not be watched
	Canary       Reason = "canary"      // a known-bad subject survived, or a known-good one did not
	Interrupted  Reason = "interrupted" // somebody stopped it
)

var reasons = map[Reason]Verdict{
	"":           Certified,
	Lost:         Failed,
	Duplicated:   Failed,
	Reordered:    Failed,
	Race:         Failed,
	Stall:        Failed,
	Leak:         Failed,
	Memory:       Failed,
	Crash:        Failed,
	Contract:     Failed,
	Regression:   Failed,
	Floor:        Inconclusive,
	Samples:      Inconclusive,
	MissingShard: Inconclusive,
	Noise:        Inconclusive,
	Guard:        Inconclusive,
	Canary:       Inconclusive,
	Interrupted:  Inconclusive,
}

// Verdict is the verdict r belongs to; a word that is no reason has none.
func (r Reason) Verdict() Verdict { return reasons[r] }
