package peers

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/exactlyonce/certify/executor"
)

// driver is a pool with the works that it does.
type driver interface {
	// flat gives n tasks of body from outside, by so many submitters, and waits.
	flat(body Body, n, submitters int) error
	// inside gives n tasks of body from inside others, and waits.
	inside(body Body, n int) error
	// chain gives a task, which gives the next, until there were n.
	chain(n int) error
	// latency gives a task n times to a pool that was left alone before, and returns
	// how long each took from before the call that gives it until it ran.
	latency(n int, rest time.Duration, s submitter) ([]int64, error)
	// queue gives n tasks that do not end before queued has returned.
	queue(n int, queued func()) error
	// wakes is how many workers were woken, if the pool counts that.
	wakes() (n uint64, counts bool)
	Close() error
}

type on[T any] struct{ Pool[T] }

func (p on[T]) wakes() (uint64, bool) {
	w, counts := p.Pool.(Wakes)
	if !counts {
		return 0, false
	}
	return w.Wakes(), true
}

func (p on[T]) flat(body Body, n, submitters int) error {
	task := p.Task(body)
	p.Begin(n)
	if submitters == 1 {
		if err := p.give(task, n); err != nil {
			return err
		}
		return p.Wait()
	}
	errs := make([]error, submitters)
	var giving sync.WaitGroup
	for i := range submitters {
		share := n*(i+1)/submitters - n*i/submitters
		giving.Go(func() { errs[i] = p.give(task, share) })
	}
	giving.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	return p.Wait()
}

func (p on[T]) give(task T, n int) error {
	if m, ok := p.Pool.(many[T]); ok {
		return m.SubmitMany(task, n)
	}
	for range n {
		if err := p.Submit(task); err != nil {
			return err
		}
	}
	return nil
}

// brood is how many tasks one gives from inside.
const brood = 4096

func (p on[T]) inside(body Body, n int) error {
	task := p.Task(body)
	for left := n; left > 0; left -= brood {
		share := min(left, brood)
		given := make(chan error, 1)
		root := p.Task(func(w *executor.Worker) {
			for range share {
				if err := p.Spawn(w, task); err != nil {
					given <- err
					return
				}
			}
			given <- nil
		})
		p.Begin(share + 1)
		err := p.Submit(root)
		if err == nil {
			err = <-given // pools may be waited for only when all was given
		}
		if err != nil {
			return err
		}
		if err := p.Wait(); err != nil {
			return err
		}
	}
	return nil
}

func (p on[T]) chain(n int) error {
	var (
		link T
		ran  int // of one link at a time
		last = make(chan error, 1)
	)
	link = p.Task(func(w *executor.Worker) {
		if ran++; ran >= n {
			last <- nil
		} else if err := p.Spawn(w, link); err != nil {
			last <- err
		}
	})
	p.Begin(n)
	err := p.Submit(link)
	if err == nil {
		err = <-last
	}
	if err == nil {
		err = p.Wait()
	}
	if err == nil && ran != n {
		err = fmt.Errorf("peers: chain of %d: %d links ran", n, ran)
	}
	return err
}

// submitter is what one does who has given a task.
type submitter string

const (
	waits    submitter = "waits"    // at a channel, and makes way
	computes submitter = "computes" // and keeps its processor
	joins    submitter = "joins"    // waits as for a batch
)

func (p on[T]) latency(n int, rest time.Duration, s submitter) ([]int64, error) {
	var began time.Time
	late, ran := make([]int64, 0, n), make(chan struct{}, 1)
	task := p.Task(func(*executor.Worker) {
		late = append(late, time.Since(began).Nanoseconds())
		ran <- struct{}{}
	})
	batch := n
	if s == joins {
		batch = 1
	}
	for i := range n {
		if i%batch == 0 {
			p.Begin(batch)
		}
		time.Sleep(rest)
		began = time.Now()
		if err := p.Submit(task); err != nil {
			return nil, err
		}
		for s == computes && len(ran) == 0 {
		}
		if s != joins {
			<-ran
		}
		if (i+1)%batch == 0 {
			if err := p.Wait(); err != nil {
				return nil, err
			}
		}
		if s == joins {
			<-ran
		}
	}
	if len(late) != n {
		return nil, fmt.Errorf("peers: latency of %d: %d tasks ran", n, len(late))
	}
	return late, nil
}

func (p on[T]) queue(n int, queued func()) error {
	gate := make(chan struct{})
	task := p.Task(func(*executor.Worker) { <-gate })
	p.Begin(n)
	err := p.give(task, n)
	if err == nil {
		queued()
	}
	close(gate)
	if err != nil {
		return err
	}
	return p.Wait()
}
