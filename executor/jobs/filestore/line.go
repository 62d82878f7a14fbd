package filestore

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/exactlyonce/certify/executor/jobs"
)

// line is one record, or a deletion, in a payload.
type line struct {
	ID       string `json:"id"`
	Phase    string `json:"phase"`
	End      string `json:"end,omitempty"`
	Began    bool   `json:"began,omitempty"`
	Output   []byte `json:"output,omitempty"`
	Cause    string `json:"cause,omitempty"`
	Finalize string `json:"finalize,omitempty"`
}

// deleted is the phase of a line that removes its id.
const deleted = "deleted"

// What the format may say, apart from what package jobs calls it today.
var (
	phases = map[string]jobs.Phase{"reserved": jobs.Reserved, "running": jobs.Running, "gone": jobs.Gone}
	ends   = map[string]jobs.End{"": 0, "completed": jobs.Completed, "failed": jobs.Failed, "cancelled": jobs.Cancelled}
)

// encode returns the line of r, which decode understands.
func encode(r jobs.Record) ([]byte, error) {
	l := line{ID: r.ID, Phase: word(phases, r.Phase), End: word(ends, r.End), Began: r.Began, Output: r.Output, Cause: r.Cause, Finalize: r.Finalize}
	if !utf8.ValidString(r.ID) || l.Phase == "" || ends[l.End] != r.End {
		return nil, fmt.Errorf("filestore: record of id %q, phase %d and end %d", r.ID, r.Phase, r.End)
	}
	return l.encode()
}

func (l line) encode() ([]byte, error) {
	if len(l.Output) > maxPayload {
		return nil, fmt.Errorf("filestore: record %q: %w", l.ID, ErrTooLarge)
	}
	text, err := json.Marshal(l)
	if err != nil {
		return nil, fmt.Errorf("filestore: record %q: %w", l.ID, err)
	}
	if text = append(text, '\n'); len(text) > maxPayload {
		return nil, fmt.Errorf("filestore: record %q of %d bytes: %w", l.ID, len(text), ErrTooLarge)
	}
	return text, nil
}

func word[T comparable](words map[string]T, value T) string {
	for w, v := range words {
		if v == value {
			return w
		}
	}
	return ""
}

// decode returns what the line says, or what is wrong with it.
func decode(text []byte) (r jobs.Record, gone bool, err error) {
	var l line
	if err := json.Unmarshal(text, &l); err != nil {
		return r, false, err
	}
	if l.Phase == deleted {
		return jobs.Record{ID: l.ID}, true, nil
	}
	phase, known := phases[l.Phase]
	end, knownEnd := ends[l.End]
	if !known || !knownEnd {
		return r, false, fmt.Errorf("phase %q, end %q", l.Phase, l.End)
	}
	return jobs.Record{ID: l.ID, Phase: phase, End: end, Began: l.Began, Output: l.Output, Cause: l.Cause, Finalize: l.Finalize}, false, nil
}
