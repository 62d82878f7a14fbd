package split

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/exactlyonce/certify/queues"
)

// starts are where counters begin: split and top wrap at 2^32.
var starts = []uint64{0, 1<<32 - 3, 1<<31 - 3}

func (d *Deque[T]) hidden() int { return int(d.bot - d.split) }

// sound tells what of the invariants does not hold between two operations.
func sound(t *testing.T, d *Deque[int]) {
	t.Helper()
	w := d.word.Load()
	if uint32(w>>32) != d.split {
		t.Fatalf("split is %d, in the word %d", d.split, uint32(w>>32))
	}
	if h := d.hidden(); h < 0 || h > Hidden || h > 0 && !d.hides.Load() {
		t.Fatalf("%d hidden, hides = %v", h, d.hides.Load())
	}
	if d.window > 0 && !d.hides.Load() {
		t.Fatal("a window, and hides is not set")
	}
	if public(w) > 1 && !d.hides.Load() {
		t.Fatalf("%d are public, and hides is not set", public(w))
	}
	if n := d.Stealer().Len(); n == 0 && d.Len() > 0 || n > d.Len()+1 {
		t.Fatalf("a thief's Len = %d, of %d", n, d.Len())
	}
}

// TestBound: never more than 16 are hidden, whatever the owner and thieves do; and all
// comes out, in the order of both ends.
func TestBound(t *testing.T) {
	most := 0
	for seed := range uint64(60) {
		dice := rand.New(rand.NewPCG(seed, 0))
		d := New[int](queues.Options{Capacity: 1 + int(seed%5), Start: starts[seed%3]})
		thief, list, next := d.Stealer(), []int(nil), 0
		for range 600 {
			switch dice.IntN(5) {
			case 0, 1:
				d.Push(next)
				list, next = append(list, next), next+1
			case 2:
				vs := make([]int, dice.IntN(40))
				for i := range vs {
					vs[i] = next
					next++
				}
				d.PushAll(vs)
				list = append(list, vs...)
			case 3:
				for range dice.IntN(20) {
					v, ok := d.Pop()
					if ok != (len(list) > 0) || ok && v != list[len(list)-1] {
						t.Fatalf("seed %d: Pop = %d, %v of %v", seed, v, ok, list)
					}
					list = list[:max(0, len(list)-1)]
				}
			case 4:
				var dst [5]int
				n, retry := thief.Steal(dst[:])
				if retry || n == 0 && len(list) > Hidden {
					t.Fatalf("seed %d: Steal = %d, %v of %d items", seed, n, retry, len(list))
				}
				for i, v := range dst[:n] {
					if v != list[i] {
						t.Fatalf("seed %d: stole %v of %v", seed, dst[:n], list)
					}
				}
				list = list[n:]
			}
			sound(t, d)
			most = max(most, d.hidden())
		}
		if d.Len() != len(list) {
			t.Fatalf("seed %d: Len = %d, want %d", seed, d.Len(), len(list))
		}
	}
	if most != Hidden {
		t.Errorf("vacuous: %d hidden at most", most)
	}
}

// loaded is a deque with n items, of which as many as can be are hidden, and a hungry
// thief.
func loaded(n int, start uint64) (*Deque[int], queues.Stealer[int]) {
	d := New[int](queues.Options{Capacity: 2, Start: start})
	for i := range n {
		d.Push(i)
	}
	return d, d.Stealer()
}

// drain steals until nothing is found, and returns how many.
func drain(s queues.Stealer[int]) (all int) {
	var dst [64]int
	for n, _ := s.Steal(dst[:]); n > 0; n, _ = s.Steal(dst[:]) {
		all += n
	}
	return all
}

// TestAsked: a thief that finds nothing has all that was hidden after five of the
// owner's operations at most, and the oldest after one.
func TestAsked(t *testing.T) {
	for n := 2; n <= 1+Hidden; n++ {
		for _, start := range starts {
			d, thief := loaded(n, start)
			taken := drain(thief)
			if taken != 1 {
				t.Fatalf("%d of %d were public; vacuous", taken, n)
			}
			for round := 1; taken < n; round++ {
				d.Pop()
				got := drain(thief)
				if taken += 1 + got; got == 0 && taken < n || round > 5 {
					t.Fatalf("operation %d published nothing, or too late: %d of %d are out", round, taken, n)
				}
			}
		}
	}
}

// TestAskedPush: likewise when the owner pushes: then there is always one more.
func TestAskedPush(t *testing.T) {
	d, thief := loaded(1+Hidden, 0)
	drain(thief)
	for i := range 5 {
		d.Push(i)
		if drain(thief) == 0 {
			t.Fatalf("push %d published nothing", i)
		}
	}
	if d.hidden() > 2 {
		t.Errorf("%d are hidden still", d.hidden())
	}
}

// TestTakesTheLast: a thief that leaves nothing public asks at once.
func TestTakesTheLast(t *testing.T) {
	d, thief := loaded(3, 0)
	var one [1]int
	if n, _ := thief.Steal(one[:]); n != 1 || !d.asked.Load() {
		t.Errorf("stole %d, asked = %v", n, d.asked.Load())
	}
	if d.Push(3); d.asked.Load() || public(d.word.Load()) != 2 {
		t.Errorf("published %d, asked still: %v", public(d.word.Load()), d.asked.Load())
	}
}

// TestNothingHidden: thieves of an empty deque write nothing.
func TestNothingHidden(t *testing.T) {
	d, thief := loaded(0, 0)
	drain(thief)
	d.Push(1)
	if d.asked.Load() || drain(thief) != 1 || d.asked.Load() {
		t.Error("asked for what is not hidden")
	}
}

// TestFirstIsPublic: what is pushed onto an empty deque can be stolen at once, also
// after the owner itself took the last public item, and without its finding out.
func TestFirstIsPublic(t *testing.T) {
	for _, start := range starts {
		for depth := 1; depth < 60; depth++ {
			d, thief := loaded(depth, start)
			for range depth {
				d.Pop()
			}
			if d.Push(7); drain(thief) != 1 {
				t.Errorf("the one item is hidden after %d pops", depth)
			}
		}
	}
}

// TestExpose: all of it, and Len is right.
func TestExpose(t *testing.T) {
	d, thief := loaded(12, starts[1])
	d.Expose()
	sound(t, d)
	if n := drain(thief); n != 12 || d.Len() != 0 {
		t.Errorf("stole %d, Len = %d", n, d.Len())
	}
	d.Expose()
	if _, ok := d.Pop(); ok || thief.Len() != 0 {
		t.Errorf("Pop = %v, Len = %d", ok, thief.Len())
	}
}

// TestThiefHeldUp between its 2 and its 3: its items are there however much the owner
// pushes and pops, in a ring that grows meanwhile.
func TestThiefHeldUp(t *testing.T) {
	for _, start := range starts {
		d := New[int](queues.Options{Capacity: 4, Start: start})
		for i := range 4 {
			d.Push(100 + i)
		}
		d.Expose()
		w := d.word.Load()
		if !d.word.CompareAndSwap(w, w+2) {
			t.Fatal("lost a race against nobody")
		}
		for range 10 {
			for i := range 50 {
				d.Push(i)
			}
			for range 50 {
				d.Pop()
			}
			sound(t, d)
		}
		var dst [2]int
		d.copyOut(dst[:], uint32(w))
		if dst != [2]int{100, 101} {
			t.Errorf("its items are %v", dst)
		}
		if d.growths == 0 {
			t.Error("vacuous: no growth")
		}
	}
}

// TestStaleThief: a thief that loaded the word, while the owner took back what was
// public and published again, does not get anything by its old view.
func TestStaleThief(t *testing.T) {
	d, _ := loaded(1, 0)
	w := d.word.Load()
	d.Pop()
	if d.word.CompareAndSwap(w, w+1) {
		t.Error("stole what the owner has popped")
	}
	d.Push(9)
	if got := d.word.Load(); got != w {
		t.Fatalf("vacuous: word %#x, was %#x", got, w)
	}
	var one [1]int
	d.word.CompareAndSwap(w, w+1) // the word is what it was: the claim is on what is there now
	if d.copyOut(one[:], uint32(w)); one[0] != 9 {
		t.Errorf("stole %d", one[0])
	}
}

// TestWatched: while something is inside all the time, a thief's Len is not 0, whatever
// the owner takes back, hides and publishes.
func TestWatched(t *testing.T) {
	d := New[int](queues.Options{Start: starts[1]})
	d.Push(0)
	var over atomic.Bool
	var owner sync.WaitGroup
	owner.Go(func() {
		defer over.Store(true)
		dice := rand.New(rand.NewPCG(1, 1))
		for range 20_000 {
			n := dice.IntN(40)
			for i := range n {
				d.Push(i)
			}
			if dice.IntN(4) == 0 {
				d.Expose()
			}
			for range n {
				d.Pop()
			}
		}
	})
	s, looks := d.Stealer(), 0
	for ; !over.Load(); looks++ {
		if s.Len() == 0 {
			t.Error("Len = 0 with an item inside")
			break
		}
		if looks%64 == 63 {
			runtime.Gosched()
		}
	}
	owner.Wait()
	if looks < 100 {
		t.Logf("%d looks only", looks)
	}
}
