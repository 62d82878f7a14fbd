package peers

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/exactlyonce/certify/executor"
)

// marker is a driver whose tasks can be told apart.
type marker interface {
	// marked gives n tasks, by so many submitters, or for none by a task, and says
	// how often each has run.
	marked(n, submitters int) ([]int64, error)
}

func (p on[T]) marked(n, submitters int) ([]int64, error) {
	runs, tasks := make([]atomic.Int64, n), make([]T, n)
	for i := range tasks {
		tasks[i] = p.Task(func(*executor.Worker) { runs[i].Add(1) })
	}
	if submitters == 0 {
		p.Begin(n + 1) // and the one that gives them
	} else {
		p.Begin(n)
	}
	err := p.giveMarked(tasks, submitters)
	if err == nil {
		err = p.Wait()
	}
	counts := make([]int64, n)
	for i := range runs {
		counts[i] = runs[i].Load()
	}
	return counts, err
}

func (p on[T]) giveMarked(tasks []T, submitters int) error {
	if submitters == 0 {
		given := make(chan error, 1)
		root := p.Task(func(w *executor.Worker) {
			var err error
			for _, t := range tasks {
				err = errors.Join(err, p.Spawn(w, t))
			}
			given <- err
		})
		if err := p.Submit(root); err != nil {
			return err
		}
		return <-given
	}
	var giving sync.WaitGroup
	errs := make([]error, submitters)
	for s := range submitters {
		giving.Go(func() {
			for i := s; i < len(tasks); i += submitters {
				errs[s] = errors.Join(errs[s], p.give(tasks[i], 1))
			}
		})
	}
	giving.Wait()
	return errors.Join(errs...)
}

const tasks = 5000 // more than a brood

// check has a pool do all works, and returns what it did wrong.
func check(e entry, workers int) (err error) {
	d, err := e.open(Options{workers, 64})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	for submitters := range 3 {
		if submitters == 0 && (e.outside || e.blocks && workers < 2) || submitters == 2 && e.outside {
			continue
		}
		counts, err := d.(marker).marked(tasks, submitters)
		if err != nil {
			return fmt.Errorf("%d submitters: %w", submitters, err)
		}
		for i, n := range counts {
			if n != 1 {
				return fmt.Errorf("%d submitters: task %d ran %d times", submitters, i, n)
			}
		}
	}
	return checkWorks(d, e, workers)
}

// checkWorks is for the works whose tasks are all the same.
func checkWorks(d driver, e entry, workers int) error {
	var ran atomic.Int64
	body := func(*executor.Worker) { ran.Add(1) }
	for name, work := range map[string]func() error{
		"flat":   func() error { return d.flat(body, tasks, 1) },
		"two":    func() error { return d.flat(body, tasks, 2) },
		"inside": func() error { return d.inside(body, tasks) },
		"chain":  func() error { ran.Add(tasks); return d.chain(tasks) },
		"late": func() error {
			for _, by := range []submitter{waits, computes, joins} {
				late, err := d.latency(20, 0, by)
				if ran.Add(int64(len(late))); err != nil {
					return err
				}
			}
			ran.Add(tasks - 60)
			return nil
		},
	} {
		inside := name == "inside" || name == "chain"
		if e.outside && (inside || name == "two") || inside && e.blocks && workers < 2 {
			continue
		}
		ran.Store(0)
		if err := work(); err != nil || ran.Load() != tasks {
			return fmt.Errorf("%s: %d of %d tasks ran, error %w", name, ran.Load(), tasks, err)
		}
	}
	return nil
}

// Each pool runs every task once in each work, refuses none, and ends. TestMain sees
// whether it leaves goroutines.
func TestPools(t *testing.T) {
	for _, e := range entries() {
		for _, workers := range numbers() {
			t.Run(fmt.Sprintf("%s/workers=%d", e.name, workers), func(t *testing.T) {
				if err := check(e, workers); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// A pool that holds a backlog runs none of it before it may, and all of it then.
func TestQueue(t *testing.T) {
	for _, e := range entries() {
		if e.blocks || e.outside {
			continue
		}
		d, err := e.open(Options{2, 2000})
		if err != nil {
			t.Fatal(err)
		}
		queued := false
		if err := errors.Join(d.queue(1000, func() { queued = true }), d.Close()); err != nil || !queued {
			t.Errorf("%s: queued: %v, error %v", e.name, queued, err)
		}
	}
}

// faulty is a pool that does something else with the nth task.
type faulty struct {
	goroutines
	given atomic.Int64
	nth   func(p *faulty, t func()) error
}

func (p *faulty) Submit(t func()) error {
	if p.given.Add(1) == 100 {
		return p.nth(p, t)
	}
	return p.goroutines.Submit(t)
}

func (p *faulty) Spawn(_ *executor.Worker, t func()) error { return p.Submit(t) }

var errFull = errors.New("full")

// The check finds what it is for.
func TestCheckFindsFaults(t *testing.T) {
	for want, nth := range map[string]func(p *faulty, t func()) error{
		"ran 0 times": func(p *faulty, t func()) error { p.pending.Done(); return nil },
		"ran 2 times": func(p *faulty, t func()) error { p.pending.Add(1); t(); t(); return nil },
		"full":        func(*faulty, func()) error { return errFull },
	} {
		e := of("faulty", traits{free: true}, func(Options) (Pool[func()], error) { return &faulty{nth: nth}, nil })
		d, err := e.open(Options{2, 64})
		if err != nil {
			t.Fatal(err)
		}
		found := findings(d)
		if !strings.Contains(found, want) {
			t.Errorf("found %q, want %q", found, want)
		}
	}
}

// findings is check without what waits for a pool that was given too little.
func findings(d driver) string {
	counts, err := d.(marker).marked(200, 1)
	if err != nil {
		return err.Error()
	}
	for _, n := range counts {
		if n != 1 {
			return fmt.Sprintf("ran %d times", n)
		}
	}
	return ""
}
