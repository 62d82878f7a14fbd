package soak

import (
	"math"
	"math/rand/v2"
	"runtime"
	"time"
)

// perturbation is a way to disturb the schedule. None finds everything, and one
// that helps against one fault hides another: so there are several.
type perturbation struct {
	Name  string
	About string
	task  func()               // inside each task of exactly-once; may be nil
	start func() (stop func()) // around the drill, in a process of its own; may be nil
}

// Perturbations lists their names, each with what it does.
func Perturbations() [][2]string {
	var all [][2]string
	for _, p := range perturbations {
		all = append(all, [2]string{p.Name, p.About})
	}
	return all
}

var perturbations = []perturbation{
	{"yield", "a task in four gives its processor away", func() {
		if rand.Uint32()%4 == 0 {
			runtime.Gosched()
		}
	}, nil},
	{"spin", "a task in sixteen lasts longer, from some nanoseconds to some hundred microseconds, evenly by magnitude", func() {
		if rand.Uint32()%16 == 0 {
			spinFor(int(math.Exp2(17 * rand.Float64())))
		}
	}, nil},
	{"gc", "the garbage collector runs all the time", nil, collectAllTheTime},
	{"pin", "all threads share one processor of the machine, where the system allows it", nil, pinToOne},
}

func findPerturbation(name string) (perturbation, error) {
	if name == "" {
		return perturbation{}, nil
	}
	return find("perturbation", name, perturbations, func(p perturbation) string { return p.Name })
}

// spinFor does n steps of work that nobody else sees.
func spinFor(n int) {
	x := uint32(n)
	for range n {
		x = x*1664525 + 1013904223
	}
	if x == 1 { // so that the loop is not for nothing
		runtime.Gosched()
	}
}

func collectAllTheTime() (stop func()) {
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-quit:
				return
			case <-time.After(time.Millisecond):
				runtime.GC()
			}
		}
	}()
	return func() { close(quit); <-done }
}

// setProcs makes the runtime use n processors, 0 for as many as it likes.
func setProcs(n int) (reset func()) {
	if n == 0 {
		return func() {}
	}
	was := runtime.GOMAXPROCS(n)
	return func() { runtime.GOMAXPROCS(was) }
}

// disturb begins what the spec asks for, until stop.
func (s Spec) disturb() (stop func()) {
	p, _ := findPerturbation(s.Perturb) // Resolve has found it
	reset := setProcs(s.Procs)
	if p.start == nil {
		return reset
	}
	end := p.start()
	return func() { end(); reset() }
}
