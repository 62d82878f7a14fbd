// Package queues is the contract of the queues that feed an executor.
//
// An [Injector] is how work enters: any goroutine pushes, any goroutine pops,
// first in first out. A [Deque] belongs to one worker, its owner, who pushes
// and pops at the bottom, newest first; everybody else holds a [Stealer] and
// takes the oldest from the top. Owner and thief are different types, so that
// stealing through the owner's side does not compile.
//
// A [Backend] is one implementation with the [Promises] it makes. Tests, soak
// and certificate judge it by what it promises and say which law they left out
// because a promise is missing.
//
// The contract holds values of any type; a back end may ask for pointers only,
// because a pointer is the widest thing that Go swaps in one instruction. So
// lists of back ends are made for pointers: see [Backend].
//
// This package has no behaviour and imports nothing of ours. What is not
// here: blocking pops (an executor parks its workers itself), closing (an
// executor stops accepting first), iteration.
package queues

// Injector is a queue of many producers and many consumers. Every method may
// be called from any goroutine.
type Injector[T any] interface {
	// Push adds v. It returns false, and keeps nothing of v, only when the
	// injector is bounded and full.
	Push(v T) bool

	// PushAll adds a prefix of vs in order and returns its length, which is
	// less than len(vs) only when the injector is bounded and full. The batch
	// need not be contiguous: other producers may come between.
	PushAll(vs []T) int

	// Pop takes the oldest item. It returns the zero value and false when
	// there was a moment during the call at which the injector was empty.
	Pop() (v T, ok bool)

	// PopInto takes up to len(dst) items, oldest first, into dst and returns
	// how many. 0 means empty, as for Pop, or that dst is empty.
	PopInto(dst []T) int

	// Len is the number of items, with the meaning that the back end
	// promises. It is never negative.
	Len() int
}

// Deque is the owner's side of a work-stealing deque. One goroutine at a time
// may use it; handing it to another needs an order between the two.
type Deque[T any] interface {
	// Push adds v at the bottom. It returns false, and keeps nothing of v,
	// only when the deque refuses: it is bounded and full, or has no room
	// while a thief is still copying. The caller must put v elsewhere.
	Push(v T) bool

	// Pop takes the newest item. It returns the zero value and false when the
	// deque is empty, also when a thief won the last item.
	Pop() (v T, ok bool)

	// Len is the number of items as the owner sees it.
	Len() int

	// Stealer returns a thief side. A thief that keeps its own Stealer does
	// not share cache lines with other thieves; sharing one is allowed.
	Stealer() Stealer[T]
}

// BatchPusher is a [Deque] that takes many items for less than each alone. It
// belongs to the owner like the rest of the deque.
type BatchPusher[T any] interface {
	// PushAll adds a prefix of vs, the first of them deepest, and returns its
	// length, which is less than len(vs) only when Push would have refused.
	PushAll(vs []T) int
}

// Stealer is the thief's side of a [Deque]. Any goroutine may use it.
type Stealer[T any] interface {
	// Steal takes up to len(dst) of the oldest items into dst, oldest first,
	// and returns how many. With n == 0, retry tells a lost race (true: there
	// may be more, ask again) from an empty deque, or an empty dst (false).
	Steal(dst []T) (n int, retry bool)

	// Len is the number of items, with the meaning that the back end promises.
	Len() int
}

// Options are what a maker of queues gets. The zero value works.
type Options struct {
	// Capacity is the bound of a bounded back end and the first size of a
	// growable one, in items. 0 means the back end's own choice; others are
	// rounded up to what the back end needs. Negative is a caller's bug, and
	// the back end panics.
	Capacity int

	// Start is where the back end's counters begin. Tests start them next to
	// the wrap, so that the rare case is the usual one.
	Start uint64
}

// Counted is a queue, of either kind, that tells what it has been through. Whoever
// certifies it can then tell a pass that met the rare cases from one that did not.
type Counted interface {
	// Counts is called while nobody operates the queue.
	Counts() []Count
}

// Count is how often something happened since the queue was made.
type Count struct {
	What string // such as growths; see the names below
	N    uint64
}

// What back ends of ours count, and those of others may.
const (
	Growths        = "growths"         // it took a larger array
	Advances       = "advances"        // of the epoch of its reclamation
	PinnedAdvances = "pinned-advances" // of these, while somebody else was inside
)
