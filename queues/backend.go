package queues

import "fmt"

// Backend is one implementation: a name, what it promises and how to make a
// fresh queue. Exactly one of Injector and Deque is set.
//
// A package of back ends exports a function, and no init registration:
//
//	func Backends[E any]() []queues.Backend[*E]
type Backend[T any] struct {
	Name     string // one lower-case word, unique among the back ends of its kind
	About    string // one line: the algorithm and its source
	Promises Promises

	Injector func(Options) Injector[T]
	Deque    func(Options) Deque[T]
}

// Kind tells whether b makes injectors or deques.
func (b Backend[T]) Kind() Kind {
	if b.Deque != nil {
		return KindDeque
	}
	return KindInjector
}

// Validate returns an error when b is not one well-formed back end.
func (b Backend[T]) Validate() error {
	if b.Name == "" {
		return fmt.Errorf("queues: back end without a name")
	}
	if (b.Injector == nil) == (b.Deque == nil) {
		return fmt.Errorf("queues: back end %s: want exactly one of Injector and Deque", b.Name)
	}
	return nil
}

// Kind is what a back end makes.
type Kind uint8

const (
	KindInjector Kind = iota
	KindDeque
)

func (k Kind) String() string { return [...]string{"injector", "deque"}[k] }

// Promises are what a back end declares. Laws that need a promise which is
// not made are skipped, and the skip is reported.
type Promises struct {
	Order    Order
	Bounded  bool // Push may refuse
	Progress Progress
	Reclaim  Reclaim
	Len      LenMeaning

	// Tentative: an answer of empty, or of full, may come of a call that is under way,
	// as in rings whose slots are reserved first and filled, or emptied, later. Both
	// are true when nobody operates.
	Tentative bool

	// AtomicBatch: a batch is taken at one moment. Without it each item of a
	// PopInto or Steal is taken at a moment of its own within the call.
	AtomicBatch bool
}

// Order is in which order items come out.
type Order uint8

const (
	Unordered    Order = iota // any order: a bag
	ProducerFIFO              // items of one producer keep their order
	FIFO                      // linearizable first in, first out
	OwnerLIFO                 // owner newest first, thieves oldest first
)

func (o Order) String() string {
	return [...]string{"unordered", "per-producer FIFO", "FIFO", "owner-LIFO"}[o]
}

// Progress is what a stalled goroutine can do to the others.
type Progress uint8

const (
	Blocking Progress = iota // may hold all others up
	LockFree                 // somebody always completes
)

func (p Progress) String() string { return [...]string{"blocking", "lock-free"}[p] }

// Reclaim is what becomes of memory that the queue no longer needs.
type Reclaim uint8

const (
	ReclaimGC     Reclaim = iota // left to the garbage collector
	ReclaimReuse                 // reused in place, under the queue's own lock or counters
	ReclaimEpochs                // recycled through epochs, the collector as a backstop
)

func (r Reclaim) String() string {
	return [...]string{"garbage-collected", "reused in place", "epochs"}[r]
}

// LenMeaning is how far Len may be believed while others operate. Whatever it
// is, Len is 0 only when each item whose push has returned is taken, or is
// being taken by somebody: an executor decides by it whether to wake a worker.
type LenMeaning uint8

const (
	LenQuiescent LenMeaning = iota // exact when nobody operates, else an estimate
	LenExact                       // linearizable
)

func (l LenMeaning) String() string { return [...]string{"quiescent", "exact"}[l] }
