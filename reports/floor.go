package reports

import (
	"fmt"
	"slices"

	"github.com/exactlyonce/certify/reports/record"
)

// Floor is the least that the clean repetitions of a key must have counted of
// something, all together.
type Floor struct {
	Unit  string  `json:"unit"`
	Least float64 `json:"least"`
}

// Reach is how a key stands to a floor.
type Reach struct {
	Floor
	Seen float64 `json:"seen"`
	// Counted: the subject tells this at all. One that does not cannot be below.
	Counted bool `json:"counted"`
}

// Below reports whether too little was seen.
func (r Reach) Below() bool { return r.Counted && r.Seen < r.Least }

// Reaches are the floors of the key with what was seen.
func (g Group) Reaches() (all []Reach) {
	for _, f := range g.Floors {
		s := g.Of(f.Unit)
		r := Reach{Floor: f, Counted: len(s.Values) > 0}
		for _, v := range s.Values {
			r.Seen += v
		}
		all = append(all, r)
	}
	return all
}

// below reports whether a key that is clean and whole has seen too little.
func (g Group) below() bool { return slices.ContainsFunc(g.Reaches(), Reach.Below) }

// floors are what the runs exercised against what they must have.
func floors(r *Run) []Block {
	t := &Table{
		Caption: "All clean repetitions of a key together; below a floor a pass means nothing",
		Columns: []Column{{"key", false}, {"what", false}, {"seen", true}, {"at least", true}, {"verdict", false}},
	}
	for _, g := range r.Groups {
		for _, reach := range g.Reaches() {
			t.Rows = append(t.Rows, Row{Cells: []Cell{{Text: g.Key.String()}, {Text: reach.Unit}, number(reach.Seen), number(reach.Least), {Text: reach.word()}}})
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return []Block{t}
}

func (r Reach) word() string {
	switch {
	case !r.Counted:
		return "not counted by the subject"
	case r.Below():
		return fmt.Sprintf("BELOW (%s)", record.Floor)
	}
	return "reached"
}
