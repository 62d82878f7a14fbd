package split

import "github.com/exactlyonce/certify/queues"

// stealer is the thief's side.
type stealer[T any] struct{ deque *Deque[T] }

// Stealer returns a thief side. Anybody may call it.
func (d *Deque[T]) Stealer() queues.Stealer[T] { return stealer[T]{d} }

// Steal takes the oldest items at one moment, half of those that are public, rounded
// up. With 0 and false nothing was public, and if items were hidden the owner will
// publish some in its next operation. With 0 and true another thief came first.
func (s stealer[T]) Steal(dst []T) (n int, retry bool) {
	d := s.deque
	w := d.word.Load() // 1
	for {
		t := uint32(w)
		left := public(w)
		most := min(len(dst), (left+1)/2)
		if most <= 0 {
			if left == 0 {
				d.ask()
			}
			return 0, false
		}
		if d.word.CompareAndSwap(w, w&^(splitOne-1)|uint64(t+uint32(most))) { // 2: pairs with publish and reclaim
			d.copyOut(dst[:most], t)
			if most == left {
				d.ask()
			}
			return most, false
		}
		if w = d.word.Load(); uint32(w) != t {
			return 0, true
		}
	}
}

// ask makes the owner publish what it hides, if it may hide something.
func (d *Deque[T]) ask() {
	if d.hides.Load() && !d.asked.Load() {
		d.asked.Store(true) // 5: pairs with the owner's 3
	}
}

// copyOut reads the slots of the items from t on, which are the caller's by its claim.
// It must load the ring after the claim: whatever ring the owner has taken since
// holds them too, and one that it had left before may not.
func (d *Deque[T]) copyOut(dst []T, t uint32) {
	slots := d.ring.Load().slots // 3: pairs with the store in install
	for i := range dst {
		dst[i] = slots[uint(t+uint32(i))&uint(len(slots)-1)]
	}
	d.done.Add(uint32(len(dst))) // 4: the slots are read; pairs with the load in settled
}

// Len is how many items are public, and 1 more if some may be hidden. It is 0 only if
// nothing was inside at some moment: if hides is not set at its load, either it was
// not when the word was loaded, and nothing was hidden then; or it has been cleared
// since, and the owner found the deque empty before that.
func (s stealer[T]) Len() int {
	n := public(s.deque.word.Load())
	if s.deque.hides.Load() {
		n++
	}
	return n
}
