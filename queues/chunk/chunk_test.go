package chunk

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/exactlyonce/certify/internal/stress"
)

// A list does what a slice does, for any mix of pushes and batches taken, keeps no
// more chunks than it may and no item that was taken.
func TestListAgainstModel(t *testing.T) {
	for round := range stress.Rounds(200) {
		rng := rand.New(rand.NewPCG(stress.Seed(t), uint64(round)))
		l, model := New[*int](rng.IntN(4)), []*int(nil)
		dst := make([]*int, 200)
		for range 500 {
			if rng.IntN(2) == 0 {
				for range rng.IntN(100) {
					v := new(int)
					l.Push(v)
					model = append(model, v)
				}
				continue
			}
			want := rng.IntN(len(dst))
			n := l.PopInto(dst[:want])
			if n != min(want, len(model)) || !slices.Equal(dst[:n], model[:n]) {
				t.Fatalf("round %d: %d of %d", round, n, want)
			}
			model = model[n:]
			if l.Len() != len(model) || l.kept > l.keep {
				t.Fatalf("round %d: length %d, want %d; %d kept of %d", round, l.Len(), len(model), l.kept, l.keep)
			}
		}
		held := 0
		for c := l.first; c != nil; c = c.next {
			for _, v := range c.items {
				if v != nil {
					held++
				}
			}
		}
		for c := l.free; c != nil; c = c.next {
			for _, v := range c.items {
				if v != nil {
					t.Fatal("a kept chunk holds an item")
				}
			}
		}
		if held != len(model) {
			t.Fatalf("round %d: holds %d, want %d", round, held, len(model))
		}
	}
}

func BenchmarkList(b *testing.B) {
	l := New[[4]uintptr](4)
	dst := make([][4]uintptr, 32)
	b.ReportAllocs()
	for n := 0; n < b.N; n += len(dst) {
		for range dst {
			l.Push([4]uintptr{})
		}
		l.PopInto(dst)
	}
}
