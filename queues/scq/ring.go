package scq

import (
	"math/bits"
	"sync/atomic"
)

// ring is a queue of numbers below n, which never holds more than n of them, with 2n
// entries. Ticket t is of entry t % 2n, in round t / 2n.
//
//	entry:  round (the rest) | safe (1 bit) | number (log2 2n bits; all ones: none)
//
// # When it is empty
//
// The paper's dequeuers count down from 3n-1, which each enqueuer sets, and below 0
// the ring is empty. The figure is right while no more than n threads operate: each
// that failed before the last enqueue may yet count down. Nothing bounds goroutines,
// and with one slot two of them leave an item that nobody finds. So here dequeuers
// look at limit, which tells where the last number is, and take a ticket only if that
// is at head or beyond.
//
// limit <= head at some moment means empty at that moment: let an enqueue count from
// when limit is above its ticket, or from when its number is taken, if that is before.
// One whose ticket is below limit has its ticket below head, so that it is taken, or
// will be by the one dequeuer who has that ticket.
//
// Nor can dequeuers keep enqueuers from ever getting one in: they stop at limit, which
// moves only when one has got in.
type ring struct {
	entries []atomic.Uint64 // written by CAS, and by Or of the ticket's dequeuer
	low     uint64          // mask of safe and number: 4n-1
	_       [96]byte        // read by all; what follows is written

	// head is the next ticket of dequeuers, who add to it.
	head atomic.Uint64
	_    [120]byte // dequeuers; enqueuers

	// tail is the next ticket of enqueuers, who add to it.
	tail atomic.Uint64

	// limit is one past the highest ticket with which a number was put in. Enqueuers
	// move it on. Invariant: limit <= tail, and no enqueue that has returned is at
	// limit or beyond.
	limit atomic.Uint64

	// holes is how many tickets of enqueuers were for nothing, less those of
	// dequeuers. Invariant: the ring holds tail - head - holes numbers, when nobody
	// operates.
	holes atomic.Int64
	_     [104]byte // enqueuers, and whatever comes next
}

// init makes the ring, with the numbers below held in it.
func (r *ring) init(n int, start uint64, held int) {
	r.entries = make([]atomic.Uint64, 2*n)
	r.low = uint64(4*n - 1)
	for i := range uint64(2 * n) {
		if t := start + i; i < uint64(held) {
			r.entry(t).Store(r.word(t, i))
		} else {
			r.entry(t).Store(r.blank(t - uint64(2*n))) // of the round before
		}
	}
	r.head.Store(start)
	r.tail.Store(start + uint64(held))
	r.limit.Store(start + uint64(held))
}

func (r *ring) entry(t uint64) *atomic.Uint64 { return &r.entries[t&uint64(len(r.entries)-1)] }

// none is the number that is none.
func (r *ring) none() uint64 { return r.low >> 1 }

// blank is an entry of t's round, safe and without a number. All its lower bits are
// set, so that of two blanks the difference tells which round is later, also where
// rounds wrap.
func (r *ring) blank(t uint64) uint64 { return t<<1 | r.low }

// word is an entry of t's round, safe and with a number.
func (r *ring) word(t, number uint64) uint64 { return r.blank(t) ^ r.none() | number }

func before(a, b uint64) bool { return int64(a-b) < 0 }

// enqueue puts a number in, for which there is room.
func (r *ring) enqueue(number uint64) {
	for {
		t := r.tail.Add(1) - 1 // 1
		if r.put(t, number) {  // 2
			r.publish(t) // 3
			return
		}
		r.holes.Add(1)
	}
}

// put writes the entry of a ticket, unless that holds a number still, or the ticket's
// dequeuer has been there.
func (r *ring) put(t, number uint64) bool {
	e := r.entry(t)
	for {
		old := e.Load()
		round := old | r.low
		if !before(round, r.blank(t)) || old&r.none() != r.none() {
			return false
		}
		if old != round && before(t, r.head.Load()) { // unsafe, and the dequeuer may be gone
			return false
		}
		if e.CompareAndSwap(old, r.word(t, number)) { // publishes the slot; pairs with take
			return true
		}
	}
}

// publish moves limit past a ticket that holds a number.
func (r *ring) publish(t uint64) {
	for {
		limit := r.limit.Load()
		if before(t, limit) || r.limit.CompareAndSwap(limit, t+1) { // pairs with empty
			return
		}
	}
}

// dequeue takes the oldest number. It returns false if the ring was empty.
func (r *ring) dequeue() (number uint64, ok bool) {
	for !r.empty() { // 1
		if number, ok = r.take(r.head.Add(1) - 1); ok { // 2
			return number, true
		}
		r.holes.Add(-1)
	}
	return 0, false
}

// empty tells whether the ring is, when limit is loaded: head is not less than it was.
func (r *ring) empty() bool {
	head := r.head.Load()
	return !before(head, r.limit.Load()) // pairs with publish
}

// take returns the number of a ticket. If it is not there, it sees to it that it will
// not be.
func (r *ring) take(t uint64) (number uint64, ok bool) {
	e, mine := r.entry(t), r.blank(t)
	for {
		old := e.Load() // pairs with put
		round := old | r.low
		if round == mine { // 3: others only make it unsafe
			e.Or(r.none())
			return old & r.none(), true
		}
		if !before(round, mine) {
			return 0, false // somebody has come round
		}
		next := old &^ (r.none() + 1) // 4: unsafe; the dequeuer of that number is slow
		if old&r.none() == r.none() {
			next = mine&^(r.none()+1) | old&(r.none()+1) // 4: my round, as safe as it was
		}
		if old == next || e.CompareAndSwap(old, next) {
			return 0, false
		}
	}
}

// len is how many numbers there are.
func (r *ring) len() int {
	head := r.head.Load()
	if !before(head, r.limit.Load()) { // as in empty
		return 0
	}
	n := int64(r.tail.Load()-head) - r.holes.Load()
	return int(min(max(n, 1), int64(len(r.entries)/2)))
}

func sizeFor(capacity int) int { return 1 << bits.Len(uint(capacity-1)) }
