package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/queues/catalog"
)

// ending is how an executor ends.
type ending uint8

const (
	drained  ending = iota // all is done before its Shutdown
	shutDown               // while tasks are given
	stopped                // likewise, with tasks queued
	endings
)

// shape is what is done with an executor. It follows from a seed.
type shape struct {
	seed       uint64
	config     executor.Config
	submitters int
	end        ending
	endAt      int // after so many ids, unless it is drained
}

// shapeOf draws a shape for n ids. The n-th life of a lane has the n-th ending.
func shapeOf(seed uint64, serial, n int) shape {
	dice := rand.New(rand.NewPCG(seed, uint64(serial)))
	s := shape{seed: dice.Uint64(), submitters: 1 + dice.IntN(4), end: ending(serial) % endings}
	s.endAt = n/4 + dice.IntN(n/2)
	s.config.Seed = dice.Uint64()
	s.config.Workers = []int{1, 2, 2, 3, 4, 8}[dice.IntN(6)]
	s.config.Capacity = []int{64, 256, 1 << 12, 1 << 14}[dice.IntN(4)]
	if dice.IntN(2) == 0 {
		return s // with the back ends that New chooses
	}
	all := catalog.Backends[executor.Task]()
	dice.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for _, b := range all {
		if b.Injector != nil {
			s.config.Injector = b
		} else {
			s.config.Deque = b
		}
	}
	return s
}

func (s shape) String() string {
	end := [endings]string{"drained", "shut down", "stopped"}[s.end]
	return fmt.Sprintf("executor of seed %d, %d workers, capacity %d, back ends %q and %q, %s",
		s.seed, s.config.Workers, s.config.Capacity, s.config.Injector.Name, s.config.Deque.Name, end)
}

// life is an executor from its start to its end.
type life struct {
	shape
	pool  pool
	block *block
	tally tally

	now      chan struct{} // closed when the end is to begin
	begun    sync.Once
	ends     atomic.Bool // set before Shutdown or Stop is called
	stops    atomic.Bool // set before Stop is called
	fork     *executor.Fork[[]mark, int]
	unowned  funcs // of light tasks without a group
	owned    funcs // and of those with one
	complain func(format string, args ...any)
}

// tally is what happened, as those saw it that it happened to.
type tally struct {
	saturated, shut            atomic.Int64 // refusals
	panics, goexits            atomic.Int64 // about to be
	failed                     atomic.Int64 // by their handles
	cancelled, interrupted     atomic.Int64 // by their handles: never run, while they ran
	abandoned                  atomic.Int64 // of those: by Stop
	unownedFailed, ownedFailed atomic.Int64 // light tasks
	toldFailed, toldStopped    atomic.Int64 // by Config.Unhandled
}

// live lives a life on a block, and returns it when it is over.
func live(s shape, b *block, start func(executor.Config) (pool, error), complain func(string, ...any)) (*life, [kinds]count) {
	b.reset()
	l := &life{shape: s, block: b, now: make(chan struct{})}
	l.complain = func(format string, args ...any) { complain(format+" ("+s.String()+")", args...) }
	l.config.Unhandled = l.unhandled
	var err error
	if l.pool, err = start(l.config); err != nil {
		l.complain("%v", err)
		return l, [kinds]count{}
	}
	l.unowned, l.owned = l.funcs(&l.tally.unownedFailed), l.funcs(&l.tally.ownedFailed)
	l.fork = l.pool.newFork(func(ms []mark) int { ms[0].ran(); return 1 })
	last := newFinale(l)
	l.open()
	var submitters, ender sync.WaitGroup
	for i := range s.submitters {
		submitters.Go(func() { newSubmitter(l, i).work() })
	}
	ender.Go(func() { <-l.now; last.end() })
	submitters.Wait()
	l.begin()
	ender.Wait()
	return l, l.audit()
}

// begin begins the end.
func (l *life) begin() { l.begun.Do(func() { close(l.now) }) }

// take returns ids, or nil when there are no more or the executor has ended.
func (l *life) take(k kind, n int) []mark {
	if l.ends.Load() {
		return nil
	}
	marks, used := l.block.take(k, n)
	if l.end != drained && used >= l.endAt {
		l.begin()
	}
	return marks
}

// refused notes a refusal, and says whether the executor takes nothing any more.
func (l *life) refused(err error) (over bool) {
	switch {
	case errors.Is(err, executor.ErrSaturated):
		l.tally.saturated.Add(1)
		return false
	case errors.Is(err, executor.ErrShutdown) && l.ends.Load():
		l.tally.shut.Add(1)
	default:
		l.complain("refused: %v", err)
	}
	return true
}

// unhandled is Config.Unhandled.
func (l *life) unhandled(err error) {
	var p *executor.PanicError
	switch {
	case errors.Is(err, executor.ErrStopped):
		l.tally.toldStopped.Add(1)
	case errors.Is(err, executor.ErrGoexit), errors.As(err, &p):
		l.tally.toldFailed.Add(1)
	default:
		l.complain("Unhandled was told: %v", err)
	}
}

// funcs are functions of light tasks, by fate, whose argument is a mark.
type funcs [fates]executor.Func

func (l *life) funcs(failed *atomic.Int64) (f funcs) {
	for i := range f {
		f[i] = func(_ *executor.Worker, arg any) { arg.(*mark).ran() }
	}
	f[slow] = func(_ *executor.Worker, arg any) { arg.(*mark).ran(); runtime.Gosched() }
	f[panics] = func(_ *executor.Worker, arg any) {
		arg.(*mark).ran()
		failed.Add(1)
		l.tally.panics.Add(1)
		panic(errMeant)
	}
	f[exits] = func(_ *executor.Worker, arg any) {
		arg.(*mark).ran()
		failed.Add(1)
		l.tally.goexits.Add(1)
		runtime.Goexit()
	}
	return f
}
