package peers

import (
	"github.com/panjf2000/ants/v2"
)

// Options is how a pool is made.
type Options struct {
	Workers int // tasks that run at once, for pools that have such a limit
	Room    int // tasks that can wait, for pools that have room for so many only
}

// DefaultRoom is that of our executor, which channels are given too.
const DefaultRoom = 1 << 14

type open[T any] func(Options) (Pool[T], error)

// traits is in what a pool differs from the others.
type traits struct {
	ours bool
	// free: nothing limits how many tasks run at once.
	free bool
	// blocks: a submitter waits while all workers are busy, inside tasks too.
	blocks bool
	// outside: tasks are given by one goroutine, which is no task.
	outside bool
	// variant: not the form that is compared like for like, and left out where a
	// work takes long.
	variant bool
}

// entry is a pool as an arm of the works.
type entry struct {
	name string
	traits
	open func(Options) (driver, error)
}

func of[T any](name string, t traits, open open[T]) entry {
	return entry{name, t, func(o Options) (driver, error) {
		p, err := open(o)
		return on[T]{p}, err
	}}
}

// entries are all pools: first ours, the one that is told nothing but how many workers
// to have at the top, then the others.
func entries() []entry {
	ants.Release() // its default pool, which ticks from the start of the program
	return []entry{
		of("certify", traits{ours: true}, openLight(backEnds{})), // sharded and claim
		of("certify.goall", traits{ours: true}, openGoAll),
		of("certify.msqueue.chaselev", traits{ours: true, variant: true}, openLight(backEnds{"msqueue", "chaselev"})),
		of("certify.mutex.mutex", traits{ours: true, variant: true}, openLight(backEnds{"mutex", "mutex"})),
		of("certify.handles", traits{ours: true}, openHandles(backEnds{})),
		of("certify.handles.msqueue.chaselev", traits{ours: true, variant: true}, openHandles(backEnds{"msqueue", "chaselev"})),
		of("certify.stored", traits{ours: true, outside: true}, openStored(backEnds{})),
		of("certify.stored.msqueue.chaselev", traits{ours: true, outside: true, variant: true}, openStored(backEnds{"msqueue", "chaselev"})),

		of("goroutine", traits{free: true}, openGoroutines),
		of("chan", traits{}, openChannel),
		of("errgroup", traits{blocks: true}, openErrGroup),
		of("errgroup.free", traits{free: true, variant: true}, openErrGroupFree),
		of("ants", traits{blocks: true}, openAnts),
		of("ants.free", traits{free: true, variant: true}, openAntsFree),
		of("pond", traits{}, openPond),
		of("pond.group", traits{variant: true}, openPondGroup),
		of("conc", traits{blocks: true}, openConcPool),
		of("conc.group", traits{free: true, variant: true}, openConcGroup),
		of("gopool", traits{}, openGoPool),
		of("gopool.free", traits{free: true, variant: true}, openGoPoolFree),
		of("workerpool", traits{}, openWorkerPool),
	}
}
