package executor

import (
	"runtime"

	"github.com/exactlyonce/certify/queues"
	"github.com/exactlyonce/certify/queues/claim"
	"github.com/exactlyonce/certify/queues/sharded"
)

// DefaultCapacity is how many tasks are stored at once when Config.Capacity
// is 0.
const DefaultCapacity = 1 << 14

// maxWorkers and maxCapacity are what the packed sleep word and the slab's
// 32-bit indexes hold.
const (
	maxWorkers  = 1<<15 - 1
	maxCapacity = 1<<31 - 64
)

// Config is what New needs. The zero Config works.
type Config struct {
	// Workers is how many tasks run at once. 0 means GOMAXPROCS.
	Workers int

	// Capacity is how many accepted tasks are stored at once, queued and
	// running together. 0 means DefaultCapacity. A slot takes 96 bytes; all are made
	// when the first task with a handle comes. A light task that waits takes 32.
	Capacity int

	// Injector and Deque are the back ends. Unset means sharded and claim, the
	// fastest of ours.
	Injector, Deque queues.Backend[*Task]

	// QueueOptions go to the maker of every queue, with a Capacity of at
	// least Config.Capacity for bounded ones unless it is set.
	QueueOptions queues.Options

	// Unhandled is called, by whoever finds out, with what a light task without a
	// group has failed with: a *PanicError, ErrGoexit, or ErrStopped. It must not
	// panic. Nil writes panics to standard error.
	Unhandled func(error)

	// Seed fixes the victims that thieves choose. It does not fix the
	// schedule.
	Seed uint64
}

func (c Config) resolve() (Config, error) {
	if c.Workers == 0 {
		c.Workers = runtime.GOMAXPROCS(0)
	}
	if c.Capacity == 0 {
		c.Capacity = DefaultCapacity
	}
	if c.Injector.Injector == nil && c.Injector.Name == "" {
		c.Injector = sharded.Backends[Task]()[0]
	}
	if c.Deque.Deque == nil && c.Deque.Name == "" {
		c.Deque = claim.Backends[Task]()[0]
	}
	return c, c.check()
}

func (c Config) check() error {
	switch {
	case c.Workers < 0 || c.Workers > maxWorkers:
		return &ConfigError{"Workers", c.Workers, "0 to 32767"}
	case c.Capacity < 0 || c.Capacity > maxCapacity:
		return &ConfigError{"Capacity", c.Capacity, "0 to 2147483584"}
	case c.Injector.Injector == nil:
		return &ConfigError{"Injector", c.Injector.Name, "a back end that makes injectors"}
	case c.Deque.Deque == nil:
		return &ConfigError{"Deque", c.Deque.Name, "a back end that makes deques"}
	case c.QueueOptions.Capacity < 0:
		return &ConfigError{"QueueOptions.Capacity", c.QueueOptions.Capacity, "0 or more"}
	}
	return nil
}

// options are for a queue of back end b: a bounded one gets room for every
// task that can be stored, unless the caller chose.
func (c Config) options(b queues.Backend[*Task]) queues.Options {
	o := c.QueueOptions
	if b.Promises.Bounded && o.Capacity == 0 {
		o.Capacity = c.Capacity
	}
	return o
}
