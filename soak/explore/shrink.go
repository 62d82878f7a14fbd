package explore

import (
	"github.com/exactlyonce/certify/soak/explore/control"
)

// Shrink looks for an order with fewer switches that fails with the same
// verdict as f, in at most tries executions, and returns the best. It joins a
// run of steps with the thread's next one, earlier or later, as long as that
// still fails.
func Shrink(program func(*T), o Options, f *Failure, tries int) (*Failure, error) {
	best := f
	for improved := true; improved; {
		improved = false
		steps, err := decode(best.Schedule, 1<<20)
		if err != nil {
			return nil, err
		}
		for _, candidate := range simpler(steps) {
			if tries--; tries < 0 {
				return best, nil
			}
			o.Strategy = replaying(candidate)
			r, err := Run(program, o)
			if err != nil {
				return nil, err
			}
			if r.Failure != nil && r.Failure.Verdict == f.Verdict && switches(r.Failure.Schedule) < switches(best.Schedule) {
				best, improved = r.Failure, true
				break
			}
		}
	}
	return best, nil
}

// simpler are the schedules in which one run of steps is moved to an
// earlier or a later run of its thread.
func simpler(steps []int) (all []string) {
	runs := split(steps)
	for i := range runs {
		for _, step := range []int{-1, 1} {
			for j := i + step; j >= 0 && j < len(runs); j += step {
				if runs[j].thread != runs[i].thread {
					continue
				}
				moved := append([]stretch(nil), runs...)
				moved[j].steps += moved[i].steps
				moved = append(moved[:i], moved[i+1:]...)
				all = append(all, encode(unroll(moved)))
				break
			}
		}
	}
	return all
}

// stretch is some steps of one thread.
type stretch struct{ thread, steps int }

func split(steps []int) (runs []stretch) {
	for _, t := range steps {
		if n := len(runs); n > 0 && runs[n-1].thread == t {
			runs[n-1].steps++
		} else {
			runs = append(runs, stretch{t, 1})
		}
	}
	return runs
}

func unroll(runs []stretch) (events []control.Event) {
	for _, r := range runs {
		for range r.steps {
			events = append(events, control.Event{Thread: int32(r.thread)})
		}
	}
	return events
}

// switches counts the runs of a schedule.
func switches(schedule string) int {
	steps, _ := decode(schedule, 1<<20)
	return len(split(steps))
}
