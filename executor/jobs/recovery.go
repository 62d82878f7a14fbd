package jobs

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Recovery is what New found in the store. Nothing of it is started by
// itself. Ids are sorted.
type Recovery struct {
	// Finished jobs ended, and their end was recorded.
	Finished []Finished
	// Interrupted jobs may have run in part or in full: their beginning was
	// recorded, their end was not. To run one again is the caller's decision.
	Interrupted []string
	// Pending jobs were reserved; their bodies have not run.
	Pending []string
	// DroppedB is how many bytes the store dropped that were no record.
	DroppedB int64
}

// Finished is a job whose end was recorded. Errors in its outcome have the
// text of the original ones and nothing else of them.
type Finished struct {
	ID      string
	Outcome Outcome
}

// String is a sentence.
func (r Recovery) String() string {
	if len(r.Finished)+len(r.Interrupted)+len(r.Pending) == 0 && r.DroppedB == 0 {
		return "nothing to recover"
	}
	s := fmt.Sprintf("recovered %d finished, %d interrupted%s and %d pending%s",
		len(r.Finished), len(r.Interrupted), named(r.Interrupted), len(r.Pending), named(r.Pending))
	if r.DroppedB > 0 {
		s += fmt.Sprintf("; dropped %d bytes of an unfinished record", r.DroppedB)
	}
	return s
}

// named lists a few ids in parentheses.
func named(ids []string) string {
	const shown = 5
	if len(ids) == 0 {
		return ""
	}
	var b strings.Builder
	for i, id := range ids[:min(len(ids), shown)] {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%q", id)
	}
	if more := len(ids) - shown; more > 0 {
		fmt.Fprintf(&b, " and %d more", more)
	}
	return " (" + b.String() + ")"
}

// recovery sorts what a store has kept, and refuses what no supervisor can
// have written.
func recovery(stored Stored) (Recovery, error) {
	r := Recovery{DroppedB: stored.DroppedB}
	slices.SortFunc(stored.Records, func(a, b Record) int { return strings.Compare(a.ID, b.ID) })
	for i, rec := range stored.Records {
		if i > 0 && stored.Records[i-1].ID == rec.ID {
			return Recovery{}, fmt.Errorf("job %q has two records", rec.ID)
		}
		if checkID(rec.ID) != nil {
			return Recovery{}, fmt.Errorf("record of the invalid id %q", rec.ID)
		}
		switch {
		case rec.Phase == Reserved:
			r.Pending = append(r.Pending, rec.ID)
		case rec.Phase == Running:
			r.Interrupted = append(r.Interrupted, rec.ID)
		case rec.Phase == Gone && rec.End >= Completed && rec.End <= Cancelled:
			r.Finished = append(r.Finished, Finished{rec.ID, rec.outcome()})
		default:
			return Recovery{}, fmt.Errorf("job %q: record of phase %s and end %s", rec.ID, rec.Phase, rec.End)
		}
	}
	return r, nil
}

func (r Record) outcome() Outcome {
	return Outcome{End: r.End, Began: r.Began, Output: r.Output, Cause: asError(r.Cause), Finalize: asError(r.Finalize)}
}

// record is what the store keeps of an outcome.
func (o Outcome) record(id string) Record {
	return Record{ID: id, Phase: Gone, End: o.End, Began: o.Began, Output: o.Output, Cause: asText(o.Cause), Finalize: asText(o.Finalize)}
}

func asError(text string) error {
	if text == "" {
		return nil
	}
	return errors.New(text)
}

// asText never makes nothing of an error: one without words gets one.
func asText(err error) string {
	if err == nil {
		return ""
	}
	if text := err.Error(); text != "" {
		return text
	}
	return "error without text"
}
