package claim

import "github.com/exactlyonce/certify/queues"

// stealer is the thief's side.
type stealer[T any] struct{ deque *Deque[T] }

// Stealer returns a thief side. Anybody may call it.
func (d *Deque[T]) Stealer() queues.Stealer[T] { return stealer[T]{d} }

// Steal takes the oldest items at one moment, half of them, rounded up. It asks to be
// called again only if another thief came first: when it was the owner who changed
// the word, it looks again itself.
func (s stealer[T]) Steal(dst []T) (n int, retry bool) {
	d := s.deque
	w := d.word.Load() // 1
	for {
		t := uint32(w)
		most := min(len(dst), (length(w)+1)/2)
		if most <= 0 {
			return 0, false
		}
		if d.word.CompareAndSwap(w, w&^(bottomOne-1)|uint64(t+uint32(most))) { // 2: pairs with the owner's 3
			d.copyOut(dst[:most], t)
			return most, false
		}
		if w = d.word.Load(); uint32(w) != t {
			return 0, true
		}
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

// Len is the number of items.
func (s stealer[T]) Len() int { return s.deque.Len() }
