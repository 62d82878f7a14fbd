package explore_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/exactlyonce/certify/soak/explore"
	"github.com/exactlyonce/certify/soak/explore/atomic"
	"github.com/exactlyonce/certify/soak/explore/runtime"
	"github.com/exactlyonce/certify/soak/explore/sync"
)

// memory is what the threads of a random program share.
type memory struct {
	x    [2]atomic.Int64
	m    sync.Mutex
	rw   sync.RWMutex
	cond *sync.Cond
	wg   sync.WaitGroup
	once sync.Once
}

// action is a step of a random program; it returns what it saw.
type action func(*memory) int64

// draw is a random action, in words too.
func draw(rng *rand.Rand) (string, action) {
	i, k := rng.IntN(2), int64(1+rng.IntN(3))
	switch rng.IntN(15) {
	case 0, 1:
		return fmt.Sprintf("load x%d", i), func(m *memory) int64 { return m.x[i].Load() }
	case 2:
		return fmt.Sprintf("store x%d", i), func(m *memory) int64 { m.x[i].Store(k); return 0 }
	case 3:
		return fmt.Sprintf("add x%d", i), func(m *memory) int64 { return m.x[i].Add(k) }
	case 4:
		return fmt.Sprintf("cas x%d", i), func(m *memory) int64 {
			if m.x[i].CompareAndSwap(0, k) {
				return 1
			}
			return 0
		}
	case 5:
		return "lock", func(m *memory) int64 { m.m.Lock(); defer m.m.Unlock(); return m.x[i].Add(k) }
	case 6:
		return "try", func(m *memory) int64 {
			if !m.m.TryLock() {
				return 0
			}
			defer m.m.Unlock()
			return m.x[i].Load()
		}
	case 7:
		return "rlock", func(m *memory) int64 { m.rw.RLock(); defer m.rw.RUnlock(); return m.x[i].Load() }
	case 8:
		return "wlock", func(m *memory) int64 { m.rw.Lock(); defer m.rw.Unlock(); return m.x[i].Swap(k) }
	case 9:
		return "wait", func(m *memory) int64 { m.m.Lock(); m.cond.Wait(); m.m.Unlock(); return 0 }
	case 10:
		return "signal", func(m *memory) int64 { m.cond.Signal(); return 0 }
	case 11:
		return "spawn", func(m *memory) int64 { m.wg.Go(func() { m.x[i].Add(k) }); return 0 }
	case 12:
		return "join", func(m *memory) int64 { m.wg.Wait(); return m.x[i].Load() }
	}
	if rng.IntN(3) == 0 {
		return fmt.Sprintf("spin x%d", i), func(m *memory) int64 {
			for m.x[i].Load() == 0 {
				runtime.Gosched()
			}
			return m.x[1-i].Load()
		}
	}
	return "once", func(m *memory) int64 { m.once.Do(func() { m.x[i].Add(k) }); runtime.Gosched(); return 0 }
}

// randomProgram has two or three threads with a few actions each.
func randomProgram(seed uint64) (text string, s small) {
	rng := rand.New(rand.NewPCG(seed, 0))
	threads := make([][]action, 2+rng.IntN(2))
	for i := range threads {
		text += fmt.Sprintf(" %d:", i)
		for range 1 + rng.IntN(5-len(threads)) {
			name, a := draw(rng)
			text += " " + name
			threads[i] = append(threads[i], a)
		}
	}
	return text, small{make: func(t *explore.T, see func(string, ...any)) {
		m := new(memory)
		m.cond = sync.NewCond(&m.m)
		saw := make([][]int64, len(threads))
		for i, actions := range threads {
			t.Go(func() {
				for _, a := range actions {
					saw[i] = append(saw[i], a(m))
				}
			})
		}
		t.Check(func() error { see("%v %d %d", saw, m.x[0].Load(), m.x[1].Load()); return nil })
	}}
}

// TestRandomPrograms: the classes of random programs see all that their orders
// see, none is run twice, and but for loops they are as many as there are. CERTIFY_PROGRAMS is how
// many programs, CERTIFY_SEED repeats one.
func TestRandomPrograms(t *testing.T) {
	first, n, most := uint64(0), uint64(250), 5_000
	if testing.Short() {
		n, most = 30, 500
	}
	if k, err := strconv.ParseUint(os.Getenv("CERTIFY_PROGRAMS"), 10, 64); err == nil {
		n = k
	}
	if seed, err := strconv.ParseUint(os.Getenv("CERTIFY_SEED"), 10, 64); err == nil {
		first, n = seed, 1
	}
	compared, classes, orders, deadlocks, spins, livelocks := 0, 0, 0, 0, 0, 0
	for seed := first; seed < first+n; seed++ {
		text, s := randomProgram(seed)
		all, full := outcomes(t, s, explore.Options{Strategy: explore.Interleavings(), Executions: most})
		if !full.Exhausted && full.Executions >= most {
			continue // too large to know
		}
		some, r := outcomes(t, s, explore.Options{})
		if full.Held > 0 {
			spins++ // any store, also one that does not matter, gives a loop another round
			full.Classes = r.Classes
		}
		if !r.Exhausted {
			livelocks++ // cut off somewhere, so that classes differ
			full.Classes, r.Classes, full.Failure = r.Executions, r.Executions, r.Failure
		}
		if !maps.Equal(some, all) || r.Classes != full.Classes || r.Executions != r.Classes || (r.Failure == nil) != (full.Failure == nil) {
			t.Errorf("CERTIFY_SEED=%d go test -run TestRandomPrograms .\n%s\nclasses: %v in %d of %d executions\norders: %v in %d of %d\n%v\n%v",
				seed, text, some, r.Classes, r.Executions, all, full.Classes, full.Executions, r, full)
		}
		compared++
		classes += r.Classes
		orders += full.Executions
		if r.Verdict() == explore.Deadlock {
			deadlocks++
		}
	}
	t.Logf("%d programs: %d classes of %d orders; %d can deadlock, %d wait in a loop, %d for ever", compared, classes, orders, deadlocks, spins, livelocks)
	if n > 1 && (compared < int(n/3) || deadlocks == 0) {
		t.Error("vacuous")
	}
}
