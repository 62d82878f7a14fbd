package soak_test

import (
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/exactlyonce/certify/internal/stress"
	"github.com/exactlyonce/certify/reports/record"
	"github.com/exactlyonce/certify/soak"
)

// plainPool is a pool as people write them: workers that take functions from a
// channel. The faults are common ones.
type plainPool struct {
	tasks  chan func()
	mu     sync.RWMutex // closed against sending
	closed bool
	all    sync.WaitGroup
	f      poolFaults
}

type poolFaults struct {
	goexitTakesWorker, dropAtClose, runRefused, twice bool
}

func openPlain(f poolFaults) func(soak.Options) (soak.Pool, error) {
	return func(o soak.Options) (soak.Pool, error) {
		p := &plainPool{tasks: make(chan func(), max(o.Capacity, 1)), f: f}
		for range o.Workers {
			p.all.Go(p.work)
		}
		return p, nil
	}
}

func (p *plainPool) work() {
	for task := range p.tasks {
		if p.f.goexitTakesWorker {
			func() { defer func() { _ = recover() }(); task() }()
			continue
		}
		var one sync.WaitGroup
		one.Go(func() { defer func() { _ = recover() }(); task() })
		one.Wait()
	}
}

func (p *plainPool) Submit(task func()) error {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if p.closed {
		if p.f.runRefused {
			task()
		}
		return errors.New("closed")
	}
	if p.f.twice {
		p.tasks <- task
	}
	p.tasks <- task
	return nil
}

func (p *plainPool) Close() error {
	p.mu.Lock()
	p.closed = true
	if p.f.dropAtClose {
		for len(p.tasks) > 0 {
			<-p.tasks
		}
	}
	p.mu.Unlock()
	close(p.tasks)
	p.all.Wait()
	return nil
}

// poolDrills are the drills that a pool fits.
func poolDrills(t *testing.T) (names []string) {
	t.Helper()
	for _, d := range soak.Drills() {
		if d.Fits(soak.OfPool("plain", "", openPlain(poolFaults{}))) == nil {
			names = append(names, d.Name)
		}
	}
	return names
}

func TestPoolFits(t *testing.T) {
	if got, want := poolDrills(t), []string{soak.ExactlyOnce, "panic", "goexit", "shutdown-race"}; !slices.Equal(got, want) {
		t.Errorf("fits %v, want %v", got, want)
	}
}

// A pool that is right passes all of them.
func TestPoolPasses(t *testing.T) {
	for _, drill := range poolDrills(t) {
		stress.Watchdog(t)
		soak.Run(t, soak.OfPool("plain", "", openPlain(poolFaults{})), soak.Spec{Drill: drill, Tasks: 1500, Batch: 100, Workers: 3})
	}
}

// One with a common fault is found out by the drill that is meant for it.
func TestFaultyPoolsAreKilled(t *testing.T) {
	for name, row := range map[string]struct {
		drill  string
		f      poolFaults
		reason record.Reason
	}{
		"goexit takes a worker": {"goexit", poolFaults{goexitTakesWorker: true}, record.Stall},
		"drops at close":        {"shutdown-race", poolFaults{dropAtClose: true}, record.Stall}, // its handles wait for ever
		"runs what it refused":  {"shutdown-race", poolFaults{runRefused: true}, record.Duplicated},
		"runs twice":            {"exactly-once", poolFaults{twice: true}, record.Duplicated},
		"runs twice, handles":   {"shutdown-race", poolFaults{twice: true}, record.Duplicated},
	} {
		t.Run(name, func(t *testing.T) {
			stress.Watchdog(t)
			spec := soak.Spec{Drill: row.drill, Tasks: 1500, Batch: 100, Workers: 2}
			if row.reason == record.Stall {
				spec.Stall = 2 * time.Second // a slow machine is no stall: what is given up and goes on is in the way of the next test
			}
			o, err := soak.Check(soak.OfPool("faulty", "", openPlain(row.f)), spec)
			if err != nil {
				t.Fatal(err)
			}
			if o.Reason != row.reason {
				t.Errorf("%s (%s), want %s: %s", o.Verdict, o.Reason, row.reason, o.Detail)
			}
		})
	}
}
