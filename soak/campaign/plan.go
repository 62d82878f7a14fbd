package campaign

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/exactlyonce/certify/reports/record"
	"github.com/exactlyonce/certify/soak"
	"github.com/exactlyonce/certify/soak/explore/survey"
	"github.com/exactlyonce/certify/soak/guard"
)

// PlanSchema names the encoding of a Plan.
const PlanSchema = "certify/plan/1"

// Plan is everything that decides what a campaign does. It is written down
// before the first repetition, and its hash is part of the results.
type Plan struct {
	Schema string `json:"schema"`
	Cells  []Cell `json:"cells"` // each repeated Reps times, in turn
	// Canaries come first, each CanaryReps times.
	Canaries   []Canary `json:"canaries,omitempty"`
	CanaryReps int      `json:"canaryReps,omitempty"`
	// Explorations come next, each once.
	Explorations []Cell `json:"explorations,omitempty"`
	First        int    `json:"first"` // the number of the first repetition, from 1
	Reps         int    `json:"reps"`
	Seed         uint64 `json:"seed,string"`
	Race         bool   `json:"race"` // under the race detector
	KeepGoing    bool   `json:"keepGoing"`
	// WithFloors asks of each cell that it saw enough: see soak.Floors.
	WithFloors bool `json:"withFloors,omitempty"`
	// Import is a package whose executors are built into the runner.
	Import string `json:"import,omitempty"`
	// Skipped are the drills that subjects do not fit, or whose laws they do not claim.
	Skipped []Skip `json:"skipped,omitempty"`
	// Laws are what the histories of bare queues are held against.
	Laws []Laws `json:"laws,omitempty"`

	Stall     time.Duration `json:"stallNs"`    // without progress, inside a repetition
	Deadline  time.Duration `json:"deadlineNs"` // of a repetition's process
	CeilingB  int64         `json:"ceilingB"`   // of a repetition's memory
	LowWaterB int64         `json:"lowWaterB"`  // of the host's available memory

	// Fault makes one repetition misbehave: see soak.Faults.
	Fault *Fault `json:"fault,omitempty"`
}

// Cell is what is repeated: one drill, one subject, one size.
type Cell struct {
	Drill   string           `json:"drill"`
	Subject soak.SubjectName `json:"subject"`
	Workers int              `json:"workers"`
	Tasks   int              `json:"tasks"`
	Batch   int              `json:"batch"`
	// Procs and Perturb are as in soak.Spec.
	Procs   int    `json:"procs,omitempty"`
	Perturb string `json:"perturb,omitempty"`
	// Size is of an exploration; Workers, Tasks and Batch are of everything else.
	Size survey.Size `json:"size,omitzero"`
	// Stratum: it is one load more for a cell that is there; floors are of that one.
	Stratum bool `json:"stratum,omitempty"`
	// Stall takes the place of the plan's, if it is not 0.
	Stall time.Duration `json:"stallNs,omitempty"`
}

// Laws are those of a subject's bare queue.
type Laws struct {
	Subject soak.SubjectName `json:"subject"`
	soak.Laws
}

// Skip is a drill that a subject is not put through.
type Skip struct {
	Subject string `json:"subject"`
	Drill   string `json:"drill"`
	Why     string `json:"why"`
}

// Fault is a misbehaviour in one repetition, of every cell.
type Fault struct {
	Name string `json:"name"`
	Rep  int    `json:"rep"`
}

// ParseFault reads "name" or "name@repetition".
func ParseFault(s string) (*Fault, error) {
	name, at, found := strings.Cut(s, "@")
	f := &Fault{Name: name, Rep: 1}
	if found {
		n, err := strconv.Atoi(at)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("campaign: fault %q: want NAME or NAME@REPETITION", s)
		}
		f.Rep = n
	}
	return f, nil
}

// written is a plan as it is written down: with the keys of its cells, for
// readers that know records and no plans.
type written struct {
	Plan
	Keys       []record.Key   `json:"keys"`
	CanaryKeys []record.Key   `json:"canaryKeys,omitempty"`
	Floors     [][]soak.Floor `json:"floors,omitempty"`
	KeyLaws    []*soak.Laws   `json:"keyLaws,omitempty"`
	KeyReps    []int          `json:"keyReps,omitempty"`
}

// Encode is the plan as it is written down.
func (p Plan) Encode() ([]byte, error) {
	w := written{Plan: p}
	for _, c := range p.Cells {
		w.Keys = append(w.Keys, p.Key(c))
		if p.WithFloors {
			w.Floors = append(w.Floors, c.floors())
		}
		if len(p.Laws) > 0 {
			w.KeyLaws = append(w.KeyLaws, p.lawsOf(c))
		}
	}
	w.addExplorations()
	for _, c := range p.Canaries {
		w.CanaryKeys = append(w.CanaryKeys, p.Key(c.Cell))
	}
	data, err := json.MarshalIndent(w, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("campaign: encode plan: %w", err)
	}
	return append(data, '\n'), nil
}

// lawsOf a cell are nil unless its drill is of a bare queue.
func (p Plan) lawsOf(c Cell) *soak.Laws {
	for i, l := range p.Laws {
		if l.Subject == c.Subject && l.Drill == c.Drill {
			return &p.Laws[i].Laws
		}
	}
	return nil
}

// addExplorations: they are keys as others, behind them, of one repetition.
func (w *written) addExplorations() {
	if len(w.Explorations) == 0 {
		return
	}
	for range w.Cells {
		w.KeyReps = append(w.KeyReps, w.Reps)
	}
	for _, c := range w.Explorations {
		w.Keys, w.KeyReps = append(w.Keys, w.Key(c)), append(w.KeyReps, 1)
		if w.WithFloors {
			w.Floors = append(w.Floors, []soak.Floor{})
		}
	}
}

// DecodePlan reads a plan of this schema, as Encode writes it and not otherwise:
// what a reader of its keys and a reader of its cells could take for two plans, such
// as a field twice, is none.
func DecodePlan(data []byte) (Plan, error) {
	var p Plan
	if err := record.Unambiguous(data); err != nil {
		return p, fmt.Errorf("campaign: decode plan: %w", err)
	}
	if err := json.Unmarshal(data, &p); err != nil {
		return p, fmt.Errorf("campaign: decode plan: %w", err)
	}
	if p.Schema != PlanSchema {
		return p, fmt.Errorf("campaign: decode plan: schema %.40q, want %q", p.Schema, PlanSchema)
	}
	if err := p.Validate(); err != nil {
		return p, err
	}
	again, err := p.Encode()
	if err != nil {
		return p, err
	}
	if !bytes.Equal(again, data) {
		return p, fmt.Errorf("campaign: decode plan: not as this version writes it, from byte %d on", differsAt(again, data))
	}
	return p, nil
}

func differsAt(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}

// Validate returns an error that names the first value which makes no sense.
func (p Plan) Validate() error {
	switch {
	case len(p.Cells) == 0:
		return fmt.Errorf("campaign: plan: nothing to repeat")
	case p.First < 1:
		return fmt.Errorf("campaign: plan: first repetition %d: want 1 or more", p.First)
	case p.Reps < 1:
		return fmt.Errorf("campaign: plan: reps %d: want at least 1", p.Reps)
	case p.First > MaxReps || p.Reps > MaxReps:
		return fmt.Errorf("campaign: plan: repetitions %d and %d more: want at most %d", p.First, p.Reps-1, MaxReps)
	case p.Fault != nil && (p.Fault.Rep < p.First || p.Fault.Rep > p.First+p.Reps-1):
		return fmt.Errorf("campaign: plan: fault %s in repetition %d: there are only %d to %d", p.Fault.Name, p.Fault.Rep, p.First, p.First+p.Reps-1)
	case (p.CanaryReps < 1 || p.CanaryReps > MaxReps) && len(p.Canaries) > 0:
		return fmt.Errorf("campaign: plan: canary reps %d: want 1 to %d", p.CanaryReps, MaxReps)
	case p.Deadline < 0 || p.CeilingB < 0 || p.LowWaterB < 0:
		return fmt.Errorf("campaign: plan: negative limit")
	}
	seen := map[string]bool{}
	cells := slices.Clone(p.Cells)
	for _, c := range p.Canaries {
		cells = append(cells, c.Cell)
	}
	cells = append(cells, p.Explorations...)
	for _, c := range cells {
		if err := c.known(); err != nil {
			return err
		}
		if _, err := p.spec(c, p.First).Resolve(); err != nil && c.Drill != ExploreDrill {
			return err
		}
		key := p.Key(c).String()
		if seen[key] {
			return fmt.Errorf("campaign: plan: %s is there twice", key)
		}
		seen[key] = true
	}
	if p.Fault == nil {
		return nil
	}
	for _, c := range p.Cells {
		if _, err := p.spec(c, p.Fault.Rep).Resolve(); err != nil {
			return err
		}
	}
	return nil
}

// floors are of a cell that is no stratum, is not disturbed and has its drill's
// batches: what is rare elsewhere may be the rule there.
func (c Cell) floors() []soak.Floor {
	if d, err := soak.FindDrill(c.Drill); err != nil || c.Stratum || c.Procs > 0 || c.Perturb != "" || c.Batch < d.Batch {
		return []soak.Floor{}
	}
	return soak.Floors(c.Drill, c.Workers)
}

// known returns an error for a subject that nobody has.
func (c Cell) known() error {
	if c.Subject.Given() || c.Drill == ExploreDrill {
		return nil // the runner knows, or the explorer
	}
	_, err := c.Subject.Make(nil)
	return err
}

// MaxReps keeps the counting of repetitions far from an overflow.
const MaxReps = 1_000_000_000

// Total is how many repetitions the plan has, canaries among them.
func (p Plan) Total() int {
	return p.Reps*len(p.Cells) + p.CanaryReps*len(p.Canaries) + len(p.Explorations)
}

// Finished reports whether the records leave nothing to run: all are there,
// or one ends the campaign.
func (p Plan) Finished(records []record.Record) bool {
	return len(records) >= p.Total() || slices.ContainsFunc(records, p.stopsAfter) || p.powerless(records)
}

// stopsAfter: a failure, unless the plan keeps going, and a tripped guard
// always, since it says that the machine is not fit.
func (p Plan) stopsAfter(r record.Record) bool {
	return r.Verdict == record.Failed && !p.KeepGoing && r.Key.Canary() == "" || r.Reason == record.Guard
}

// limits are those of a process.
func (p Plan) limits() guard.Limits { return guard.Limits{TreeB: p.CeilingB, LowWaterB: p.LowWaterB} }

// Key is the cell as a record's key.
func (p Plan) Key(c Cell) record.Key {
	if c.Drill == ExploreDrill {
		return c.exploreKey()
	}
	mode := "plain"
	if p.Race {
		mode = "race"
	}
	add := func(name string, n int) record.Param { return record.Param{Name: name, Value: strconv.Itoa(n)} }
	params := append(c.Subject.Params(),
		add("workers", c.Workers), add("tasks", c.Tasks), add("batch", c.Batch))
	if c.Procs > 0 {
		params = append(params, add("procs", c.Procs))
	}
	if c.Perturb != "" {
		params = append(params, record.Param{Name: "perturb", Value: c.Perturb})
	}
	params = append(params, record.Param{Name: "mode", Value: mode})
	return record.Key{Drill: c.Drill, Params: params}
}

// spec is what repetition rep of a cell does.
func (p Plan) spec(c Cell, rep int) soak.Spec {
	s := soak.Spec{
		Drill: c.Drill, Tasks: c.Tasks, Batch: c.Batch, Workers: c.Workers, Stall: p.Stall, Procs: c.Procs, Perturb: c.Perturb,
		Seed: seed(p.Seed, p.Key(c), rep),
	}
	if c.Stall > 0 {
		s.Stall = c.Stall
	}
	if p.Fault != nil && p.Fault.Rep == rep && !c.Subject.Given() {
		s.Fault = p.Fault.Name
	}
	return s
}
