package explore_test

import (
	"strings"
	"testing"

	"github.com/exactlyonce/certify/soak/explore"
	"github.com/exactlyonce/certify/soak/explore/atomic"
)

// TestReplay: every failure comes back from its schedule, whoever found it.
func TestReplay(t *testing.T) {
	for _, fault := range faults {
		word := "PPPpp"
		if fault == "steal: stale buffer" {
			continue // needs a longer word, see TestDequeMutants
		}
		program := duel(2, fault, word, 1, 1)
		for _, s := range []explore.Strategy{explore.Exhaustive(), explore.Preemptions(3), explore.POS(20_000)} {
			found := run(t, program, explore.Options{Strategy: s}).Failure
			if found == nil {
				t.Errorf("%s: %v did not find it", fault, s)
				continue
			}
			r := run(t, program, explore.Options{Strategy: explore.Replay(found.Schedule)})
			if r.Failure == nil || r.Failure.Err.Error() != found.Err.Error() || r.Failure.Schedule != found.Schedule || r.Diverged != 0 {
				t.Errorf("%s: %v, replayed: %v", fault, found, r)
			}
		}
	}
}

// TestReplayDiverges: a schedule of another program is followed as far as it
// can be, and the report says how far.
func TestReplayDiverges(t *testing.T) {
	for schedule, diverged := range map[string]int{"a2b2": 0, "a3b2": 3, "ab5": 4, "c": 1, "a": 2, "a2b2a": 5} {
		r := run(t, func(t *explore.T) {
			var x atomic.Int32
			t.Go(func() { x.Store(1); x.Load() })
			t.Go(func() { x.Store(2); x.Load() })
		}, explore.Options{Strategy: explore.Replay(schedule)})
		if r.Diverged != diverged || r.Executions != 1 || r.Exhausted {
			t.Errorf("%s: diverged at %d, want %d: %v", schedule, r.Diverged, diverged, r)
		}
	}
}

// TestShrink: what chance has found becomes as simple as what the fewest
// preemptions give, or nearly.
func TestShrink(t *testing.T) {
	program := duel(16, "steal: store instead of CAS", "PPpp", 1, 1)
	found := run(t, program, explore.Options{Strategy: explore.Random(10_000)}).Failure
	best, err := explore.Shrink(program, explore.Options{}, found, 1000)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s became %s", found.Schedule, best.Schedule)
	if letters(best.Schedule) > 6 || letters(best.Schedule) >= letters(found.Schedule) {
		t.Errorf("%s became %s only", found.Schedule, best.Schedule)
	}
}

func letters(schedule string) int {
	return strings.Count(strings.NewReplacer("b", "a", "c", "a").Replace(schedule), "a")
}

// TestStory: a failure tells who did what, where.
func TestStory(t *testing.T) {
	f := run(t, duel(16, "steal: store instead of CAS", "PPpp", 1), explore.Options{Strategy: explore.Preemptions(2)}).Failure
	if f == nil {
		t.Fatal("not found")
	}
	var all strings.Builder
	for _, s := range f.Story {
		all.WriteString(s.Place + " " + s.Op + " " + strings.Join(s.Values, " ") + " " + s.Source + "\n")
	}
	for _, want := range []string{"deque.top Load 0 textbook_test.go:", "deque.ring.slots[1] Store 2 ", "deque.top Store 1", "deque.top CAS 0 1 "} {
		if !strings.Contains(all.String(), want) {
			t.Errorf("no %q in\n%s", want, all.String())
		}
	}
}

// FuzzTape lets the fuzzer choose the order. With a fault in the deque it
// finds it.
func FuzzTape(f *testing.F) {
	f.Add([]byte{0, 1, 0, 0, 2, 1})
	f.Fuzz(func(t *testing.T, tape []byte) {
		r := run(t, duel(2, "", "PPPpp", 1, 1), explore.Options{Strategy: explore.Tape(tape), Verify: 1})
		if err := r.Err(); err != nil {
			t.Error(err)
		}
	})
}

// TestTape: tapes reach what other strategies reach.
func TestTape(t *testing.T) {
	if testing.Short() {
		t.Skip("1,000 explorations")
	}
	found := false
	for i := range 1 << 10 {
		tape := make([]byte, 30)
		for k := range 10 {
			tape[2*k] = byte(i >> k & 1)
		}
		r := run(t, duel(16, "steal: store instead of CAS", "PPpp", 1), explore.Options{Strategy: explore.Tape(tape), Verify: 1})
		found = found || r.Failure != nil
	}
	if !found {
		t.Error("no tape found the fault")
	}
}

// TestSolo: the textbook deque is free of obstruction; from 332 orders that
// takes thousands of runs alone. A spin lock is not.
func TestSolo(t *testing.T) {
	if testing.Short() {
		t.Skip("8,000 executions")
	}
	r := run(t, duel(16, "", "PPpp", 1, 1), explore.Options{Solo: 100})
	t.Logf("%d runs alone from %d executions in %v", r.Solo, r.Executions, r.Elapsed)
	if r.Failure != nil || r.Executions != 332 || r.Solo < 1000 {
		t.Error(r)
	}
	r = run(t, func(t *explore.T) {
		var lock atomic.Bool
		for range 2 {
			t.Go(func() {
				for !lock.CompareAndSwap(false, true) {
				}
				lock.Store(false)
			})
		}
	}, explore.Options{Solo: 100})
	if r.Verdict() != explore.Obstructed {
		t.Error(r)
	}
}
