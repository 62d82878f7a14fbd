// Package reports reads the directory of a run and says what it shows: the
// verdict, what failed and how to repeat it, what each key measured over its
// repetitions, and whether that grows.
//
//	run, err := reports.Load(dir)
//	fmt.Println(run.Verdict, run.Reason)
//
// It knows records, and nothing that makes them: a report is remade from the
// run directory alone, at any time, on any machine, byte for byte.
package reports

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/exactlyonce/certify/reports/record"
	"github.com/exactlyonce/certify/reports/rundir"
)

// Run is a run as its directory shows it.
type Run struct {
	ID      string
	Shard   record.Shard
	Dir     string // as it was given to Load
	Plan    Plan
	Env     []Fact            // of the machine and the build, in the order of the file
	Pins    map[string]string // SHA-256 of what must not change under the results
	Records []record.Record   // of the subjects, in the order in which they were finished
	TornB   int64             // bytes of an unfinished last line

	Verdict  record.Verdict
	Reason   record.Reason // empty when certified
	Groups   []Group       // a planned key each, in the order of the plan
	Canaries []Canary      // known-bad subjects and controls, in the order of the plan
}

// Plan is what a report needs to know of plan.json.
type Plan struct {
	Keys []record.Key `json:"keys"`
	// Canaries are what must be caught first, each CanaryReps times, and their keys.
	Canaries   []PlannedCanary `json:"canaries,omitempty"`
	CanaryKeys []record.Key    `json:"canaryKeys,omitempty"`
	CanaryReps int             `json:"canaryReps,omitempty"`
	// Floors are those of each key, in their order; none for a plan without.
	Floors [][]Floor `json:"floors,omitempty"`
	// KeyLaws are what the history of each key is held against, nil where it has none.
	KeyLaws []*Laws `json:"keyLaws,omitempty"`
	// KeyReps are the repetitions of each key where they are not Reps of all.
	KeyReps []int `json:"keyReps,omitempty"`
	// Skipped are drills that subjects were not put through.
	Skipped []Skip `json:"skipped,omitempty"`
	First   int    `json:"first"`
	Reps    int    `json:"reps"` // of each key
	Seed    uint64 `json:"seed,string"`
	Race    bool   `json:"race"` // under the race detector
}

// Skip is a drill that a subject was not put through, and why.
type Skip struct {
	Subject string `json:"subject"`
	Drill   string `json:"drill"`
	Why     string `json:"why"`
}

// Total is how many repetitions were planned.
func (p Plan) Total() (n int) {
	for i := range p.Keys {
		n += p.reps(i)
	}
	return n
}

// reps of the i-th key.
func (p Plan) reps(i int) int {
	if i < len(p.KeyReps) {
		return p.KeyReps[i]
	}
	return p.Reps
}

// Fact is one thing about the machine or the build.
type Fact struct{ Name, Value string }

// Fact is the value of a fact of Env, empty when there is none.
func (r *Run) Fact(name string) string {
	for _, f := range r.Env {
		if f.Name == name {
			return f.Value
		}
	}
	return ""
}

// Group is a key with its repetitions.
type Group struct {
	Key     record.Key
	Planned int
	Records []record.Record // by repetition
	Clean   int             // certified ones
	Floors  []Floor         // of what it must have counted
	Laws    *Laws           // of its history, or nil
}

// Load reads the run in dir. Anything there that is not a run, or damaged, is
// an error; a run that is not finished is not.
func Load(dir string) (*Run, error) {
	c, err := rundir.Read(dir)
	if err != nil {
		return nil, fmt.Errorf("reports: load: %w", err)
	}
	r := &Run{ID: c.Run, Shard: c.Shard, Dir: dir, Pins: c.Pins, Records: c.Records, TornB: c.TornB}
	if err := errors.Join(record.Unambiguous(c.Plan), json.Unmarshal(c.Plan, &r.Plan)); err != nil {
		return nil, fmt.Errorf("reports: load %s: plan.json: %w", dir, err)
	}
	if err := r.Plan.validate(); err != nil {
		return nil, fmt.Errorf("reports: load %s: plan.json: %w", dir, err)
	}
	if r.Env, err = facts(c.Env); err != nil {
		return nil, fmt.Errorf("reports: load %s: env.json: %w", dir, err)
	}
	if err := r.takeCanaries(); err != nil {
		return nil, err
	}
	if err := r.group(); err != nil {
		return nil, err
	}
	r.judge()
	return r, nil
}

// validate: a key of no repetitions would be clean without one.
func (p Plan) validate() error {
	if len(p.Keys) == 0 || p.Reps < 1 {
		return fmt.Errorf("%d keys of %d repetitions: want at least one of each", len(p.Keys), p.Reps)
	}
	if n := len(p.KeyReps); n > 0 && n != len(p.Keys) {
		return fmt.Errorf("repetitions of %d keys, and there are %d", n, len(p.Keys))
	}
	for i, k := range slices.Concat(p.Keys, p.CanaryKeys) {
		if err := k.Validate(); err != nil { // null is no text, and not read
			return err
		}
		if i < len(p.Keys) && (p.reps(i) < 1 || p.reps(i) > maxReps) {
			return fmt.Errorf("%d repetitions of %s: want 1 to %d", p.reps(i), k, maxReps)
		}
	}
	if n := len(p.CanaryKeys); n > 0 && (p.CanaryReps < 1 || p.CanaryReps > maxReps) {
		return fmt.Errorf("%d repetitions of a canary: want 1 to %d", p.CanaryReps, maxReps)
	}
	return nil
}

// maxReps keeps sums far from an overflow.
const maxReps = 1_000_000_000

// judge is the verdict on the whole run. One that is a part of a run, or lacks
// one, is not to be taken for it.
func (r *Run) judge() {
	r.Verdict, r.Reason = Judge(r.Groups, r.Records)
	for _, c := range r.Canaries {
		v, reason := c.Verdict()
		if v > r.Verdict || v == r.Verdict && r.Reason == record.Samples {
			r.Verdict, r.Reason = v, reason
		}
	}
	if r.Reason == record.Samples && (r.Shard.Part() || len(r.MissingShards()) > 0) {
		r.Reason = record.MissingShard
	}
}

// Judge is the verdict on groups of a run: that on their records, which are in
// the order in which they were finished, and what only many of them together
// show.
func Judge(groups []Group, records []record.Record) (record.Verdict, record.Reason) {
	total := 0
	for _, g := range groups {
		total += g.Planned
	}
	verdict, reason := record.Judge(records, total)
	for _, g := range groups {
		if v, why := g.Verdict(); v > verdict || v == verdict && why == record.Floor && reason == record.Samples {
			verdict, reason = v, why
		}
	}
	return verdict, reason
}

// RunnerPin is what the digest of the repetitions' binary is called among the
// pins.
const RunnerPin = "runner"

// ExplorerPin is what the digest of the program that explores back ends is called.
const ExplorerPin = "explorer"

// ModulePin is before the path@version of a module that the runner was built of;
// the pin is the module's hash h1, in hex.
const ModulePin = "module "

// ShardPin is what the digest of a shard's blob is called among the pins of a run
// that was merged.
func ShardPin(index int) string { return fmt.Sprintf("shard-%d", index) }

// MissingShards are the numbers of those that a merged run was not given.
func (r *Run) MissingShards() (missing []int) {
	if !r.Shard.Merged() {
		return nil
	}
	for i := 1; i <= r.Shard.Of; i++ {
		if r.Pins[ShardPin(i)] == "" {
			missing = append(missing, i)
		}
	}
	return missing
}

// group sorts the records by key. One of a key that was not planned cannot be of
// this run.
func (r *Run) group() error {
	at := map[string]int{}
	if n := len(r.Plan.Floors); n > 0 && n != len(r.Plan.Keys) {
		return fmt.Errorf("reports: load %s: plan.json: floors of %d keys, and there are %d", r.Dir, n, len(r.Plan.Keys))
	}
	for i, k := range r.Plan.Keys {
		at[k.String()] = len(r.Groups)
		g := Group{Key: k, Planned: r.Plan.reps(i)}
		if len(r.Plan.Floors) > 0 {
			g.Floors = r.Plan.Floors[i]
		}
		if i < len(r.Plan.KeyLaws) {
			g.Laws = r.Plan.KeyLaws[i]
		}
		r.Groups = append(r.Groups, g)
	}
	for _, rec := range r.Records {
		i, ok := at[rec.Key.String()]
		if !ok {
			return fmt.Errorf("reports: load %s: record %d is of %s, which was not planned", r.Dir, rec.Seq, rec.Key)
		}
		r.Groups[i].add(rec)
	}
	for _, g := range r.Groups {
		slices.SortStableFunc(g.Records, func(a, b record.Record) int { return a.Rep - b.Rep })
	}
	return nil
}

func (g *Group) add(r record.Record) {
	g.Records = append(g.Records, r)
	if r.Verdict == record.Certified {
		g.Clean++
	}
}

// Units are the units of the values of the clean repetitions, in the order in
// which they are first there.
func (g Group) Units() (units []string) {
	for _, r := range g.Records {
		for _, v := range r.Values {
			if r.Verdict == record.Certified && !slices.Contains(units, v.Unit) {
				units = append(units, v.Unit)
			}
		}
	}
	return units
}

// Series is one measured thing over the clean repetitions.
type Series struct {
	Reps   []float64 // the repetitions' numbers
	Values []float64
}

// Of returns the series of a unit.
func (g Group) Of(unit string) Series {
	return g.series(func(r record.Record) (float64, bool) {
		for _, v := range r.Values {
			if v.Unit == unit {
				return v.Value, true
			}
		}
		return 0, false
	})
}

// Elapsed is the duration of the process, in seconds.
func (g Group) Elapsed() Series {
	return g.series(func(r record.Record) (float64, bool) { return float64(r.ElapsedNs) / 1e9, true })
}

// Peak is the resident memory at its peak, in bytes.
func (g Group) Peak() Series {
	return g.series(func(r record.Record) (float64, bool) { return float64(r.PeakB), r.PeakB > 0 })
}

func (g Group) series(of func(record.Record) (v float64, known bool)) (s Series) {
	for _, r := range g.Records {
		if v, known := of(r); known && r.Verdict == record.Certified {
			s.Reps = append(s.Reps, float64(r.Rep))
			s.Values = append(s.Values, v)
		}
	}
	return s
}
