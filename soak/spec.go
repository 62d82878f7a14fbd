package soak

import (
	"fmt"
	"math"
	"time"
)

// Spec says what one repetition does. The zero Spec is a short run of the
// exactly-once drill.
type Spec struct {
	Drill   string // the name of a drill; empty means exactly-once
	Tasks   int    // 0 means Drill.Tasks
	Batch   int    // tasks in flight at once; 0 means Drill.Batch
	Workers int    // 0 means the executor's choice, which is GOMAXPROCS for ours
	Seed    uint64

	// Stall is how long nothing may happen before the repetition has failed.
	// 0 means a minute. It is no time limit: a slow run goes on.
	Stall time.Duration

	// Procs is the GOMAXPROCS of the repetition; 0 leaves it. Perturb is the name of a
	// way to disturb its schedule, see Perturbations; empty is none. Both are for
	// repetitions in processes of their own: Check leaves the process as it is, but
	// for what is inside the tasks.
	Procs   int
	Perturb string

	// Fault makes the harness misbehave, to show that it would be noticed:
	// see Faults. Empty in earnest.
	Fault string
}

// The card's numbers, and a smaller number of tasks for tests.
const (
	CardTasks    = 1_000_000
	DefaultBatch = 4096
	defaultTasks = 100_000
	defaultStall = time.Minute
)

// Resolve fills in what is 0, or returns an error that names a value which
// makes no sense.
func (s Spec) Resolve() (Spec, error) {
	d, err := FindDrill(s.Drill)
	if s.Drill == "" {
		d, err = FindDrill(ExactlyOnce)
	}
	if err != nil {
		return s, err
	}
	s.fill(d)
	switch {
	case s.Tasks < 1:
		return s, fmt.Errorf("soak: tasks %d: want at least 1", s.Tasks)
	case s.Batch < 1:
		return s, fmt.Errorf("soak: batch %d: want at least 1", s.Batch)
	case s.Workers < 0:
		return s, fmt.Errorf("soak: workers %d: want 0 (one a processor) or more", s.Workers)
	case s.Procs < 0:
		return s, fmt.Errorf("soak: procs %d: want 0 (as many as there are) or more", s.Procs)
	case s.Stall < 0:
		return s, fmt.Errorf("soak: stall %v: want a positive duration", s.Stall)
	}
	if p, err := findPerturbation(s.Perturb); err != nil {
		return s, err
	} else if p.task != nil && d.Name != ExactlyOnce {
		return s, fmt.Errorf("soak: perturbation %s: it acts in the tasks of %s, and not in those of %s", s.Perturb, ExactlyOnce, d.Name)
	}
	if f, err := findFault(s.Fault); err != nil {
		return s, err
	} else if f.ledger && !d.ledger {
		return s, fmt.Errorf("soak: fault %s: the drill %s has no ledger", s.Fault, s.Drill)
	}
	s.Batch = min(s.Batch, s.Tasks)
	return s, nil
}

func (s *Spec) fill(d Drill) {
	s.Drill = d.Name
	if s.Tasks == 0 {
		s.Tasks = d.Tasks
	}
	if s.Batch == 0 {
		s.Batch = d.Batch
	}
	if s.Stall == 0 {
		s.Stall = defaultStall
	}
}

// The drills that keep the whole history.
const (
	injectorDrill = "injector"
	dequeDrill    = "deque"
)

// FootprintB estimates what a repetition holds in memory: a bit a task, some
// hundred bytes a task in flight, and some kilobytes a worker.
func (s Spec) FootprintB() float64 {
	const perStored, perWorker = 320, 64 << 10
	batch := math.Min(float64(s.Batch), float64(s.Tasks))
	if s.Drill == injectorDrill || s.Drill == dequeDrill {
		const perRecorded = 200 // a history has two rows a task, and is judged as a whole
		return perRecorded*float64(s.Tasks) + perStored*batch
	}
	return float64(s.Tasks)/8 + perStored*batch + perWorker*float64(s.Workers)
}

// Batches is how many batches a repetition has.
func (s Spec) Batches() int { return (s.Tasks-1)/s.Batch + 1 }
