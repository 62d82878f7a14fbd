// Unordered is a pool with a data race between tasks that only the soak's own memory
// could order, each on a goroutine of its own: one that begins writes what a later
// one reads at its end. With the argument "ordered" all tasks count on one atomic
// besides, which hides it. It is run under the race detector.
package main

import (
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/exactlyonce/certify/soak"
)

type pool struct {
	all     sync.WaitGroup
	planted int
	next    int // the submitter's
	seen    []int
	ordered bool
	shared  atomic.Int64
}

func (p *pool) Submit(task func()) error {
	i := p.next
	p.next++
	p.all.Go(func() {
		if i == 0 {
			p.planted = 1
		}
		if p.ordered {
			p.shared.Add(1)
		}
		task()
		p.seen[i] = 1
		if i == len(p.seen)/2 {
			p.seen[i] += p.planted
		}
	})
	return nil
}

func (p *pool) Close() error {
	p.all.Wait()
	return nil
}

func main() {
	const tasks = 30      // so few could be marked in one word
	runtime.GOMAXPROCS(1) // so that one goroutine is done before another begins
	open := func(soak.Options) (soak.Pool, error) {
		return &pool{seen: make([]int, tasks), ordered: os.Args[1] == "ordered"}, nil
	}
	e := soak.OfPool("planted", "has a race", open)
	o, err := soak.Check(e, soak.Spec{Drill: soak.ExactlyOnce, Tasks: tasks, Batch: tasks, Workers: 1})
	fmt.Println("done:", o.Verdict, err)
}
