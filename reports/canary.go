package reports

import (
	"fmt"
	"slices"
	"strings"

	"github.com/exactlyonce/certify/reports/record"
)

// PlannedCanary is what a plan says of a canary.
type PlannedCanary struct {
	Killers []record.Reason `json:"killers"`
	Fault   string          `json:"fault"`
}

// Canary is a known-bad subject that must be caught, or a control, which has no
// Killers and must survive. What it shows is the power of the run.
type Canary struct {
	Group
	PlannedCanary
	// Caught is in how many repetitions it was: for one of its Killers; a control for
	// whatever.
	Caught int
}

// Control reports whether there is nothing wrong with it.
func (c Canary) Control() bool { return len(c.Killers) == 0 }

// Verdict is Inconclusive when a canary was not caught once, or a control was: then
// nothing that the run found clean says much.
func (c Canary) Verdict() (record.Verdict, record.Reason) {
	for _, r := range c.Records {
		if r.Reason == record.Guard {
			return r.Verdict, r.Reason
		}
	}
	switch {
	case c.Control() && c.Caught > 0:
		return record.Inconclusive, record.Canary
	case len(c.Records) < c.Planned:
		return record.Inconclusive, record.Samples
	case !c.Control() && c.Caught == 0:
		return record.Inconclusive, record.Canary
	}
	return record.Certified, ""
}

// takeCanaries takes the records of canaries out of those of the subjects.
func (r *Run) takeCanaries() error {
	if len(r.Plan.Canaries) != len(r.Plan.CanaryKeys) {
		return fmt.Errorf("reports: load %s: plan.json: %d canaries with %d keys", r.Dir, len(r.Plan.Canaries), len(r.Plan.CanaryKeys))
	}
	at := map[string]int{}
	for i, k := range r.Plan.CanaryKeys {
		at[k.String()] = i
		r.Canaries = append(r.Canaries, Canary{Group: Group{Key: k, Planned: r.Plan.CanaryReps}, PlannedCanary: r.Plan.Canaries[i]})
	}
	var rest []record.Record
	for _, rec := range r.Records {
		if rec.Key.Canary() == "" {
			rest = append(rest, rec)
			continue
		}
		i, ok := at[rec.Key.String()]
		if !ok {
			return fmt.Errorf("reports: load %s: record %d is of %s, which was not planned", r.Dir, rec.Seq, rec.Key)
		}
		c := &r.Canaries[i]
		c.add(rec)
		if record.Caught(c.Killers, rec.Verdict, rec.Reason) {
			c.Caught++
		}
	}
	r.Records = rest
	return nil
}

// canaries are the kill grid: which known-bad subject was caught by what, how often.
func canaries(r *Run) []Block {
	if len(r.Canaries) == 0 {
		return nil
	}
	t := &Table{
		Caption: "Each in processes of its own, in the pipeline of the run. Another law than those that it breaks does not count",
		Columns: []Column{{"subject", false}, {"fault", false}, {"drill", false}, {"must be caught by", false}, {"caught", true}, {"of", true}, {"seen", false}, {"verdict", false}},
	}
	bad, caught := 0, 0
	for _, c := range r.Canaries {
		v, _ := c.Verdict()
		killers := "nothing: it is a control"
		fault := "none"
		switch {
		case c.Control() && c.Fault != "":
			killers, fault = "nothing: no order shows it, within the bounds", c.Fault
		case !c.Control():
			bad++
			killers, fault = reasonList(c.Killers), c.Fault
			if v == record.Certified {
				caught++
			}
		}
		t.Rows = append(t.Rows, Row{"canary-" + c.Key.Canary() + "-" + c.Key.Drill, []Cell{
			{Text: c.Key.Canary()}, {Text: fault}, {Text: c.Key.Drill}, {Text: killers},
			number(float64(c.Caught)), number(float64(len(c.Records))), {Text: c.seen()}, {Text: c.word(v)},
		}})
	}
	return []Block{Text(fmt.Sprintf("%d of %d known-bad subjects were caught. A run that cannot find faults which are there says nothing by finding none.", caught, bad)), t}
}

func (c Canary) word(v record.Verdict) string {
	switch {
	case v == record.Certified && c.Control():
		return "survived, as it must"
	case v == record.Certified:
		return "caught"
	case len(c.Records) < c.Planned:
		return "had not all its turns"
	case c.Control():
		return "TAKEN FOR BAD"
	}
	return "NOT CAUGHT"
}

// seen is what the repetitions came to, each once.
func (c Canary) seen() string {
	var all []record.Reason
	for _, r := range c.Records {
		reason := r.Reason
		if r.Verdict == record.Certified {
			reason = "clean"
		}
		if !slices.Contains(all, reason) {
			all = append(all, reason)
		}
	}
	return reasonList(all)
}

func reasonList(reasons []record.Reason) string {
	var words []string
	for _, r := range reasons {
		words = append(words, string(r))
	}
	return strings.Join(words, ", ")
}
