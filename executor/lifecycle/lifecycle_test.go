package lifecycle

import (
	"fmt"
	"slices"
	"sync"
	"testing"
)

var all = []State{Queued, Idle, Running, Notified, Completed, Failed, Cancelled}

// gen is the generation under test: next to the wrap of its 61 bits.
const gen Gen = 1<<61 - 1

// op is one action on a word; its answer is compared as text.
type op struct {
	name string
	do   func(*Word) string
	want map[State]string // state before: "answer -> state after"
}

func text(v ...any) string { return fmt.Sprint(v...) }

// ops is the whole table of the machine: every action in every state. A state
// that an action does not list answers its zero and stays.
var ops = []op{
	{"begun", func(w *Word) string { return text(w.Begun(gen)) }, map[State]string{
		Queued: "true -> queued"}},
	{"schedule", func(w *Word) string { return text(w.Schedule(gen)) }, map[State]string{
		Idle: "true -> queued", Running: "false -> notified"}},
	{"claim", func(w *Word) string { return text(w.Claim(gen)) }, map[State]string{
		Queued: "true -> running"}},
	{"pend", func(w *Word) string { return text(w.Pend(gen, false)) }, pendTable("again -> running")},
	{"pend again", func(w *Word) string { return text(w.Pend(gen, true)) }, pendTable("requeue -> queued")},
	{"complete", func(w *Word) string { return text(w.Finish(gen, Completed)) }, map[State]string{
		Running: "true -> completed", Notified: "true -> completed"}},
	{"fail", func(w *Word) string { return text(w.Finish(gen, Failed)) }, map[State]string{
		Running: "true -> failed", Notified: "true -> failed"}},
	{"cancel", func(w *Word) string { from, won := w.Cancel(gen); return text(from, " ", won) }, cancelTable()},
}

func pendTable(notified string) map[State]string {
	t := map[State]string{}
	for _, s := range all {
		t[s] = "drop -> " + s.String()
	}
	t[Running], t[Notified] = "park -> idle", notified
	return t
}

func cancelTable() map[State]string {
	t := map[State]string{}
	for _, s := range all {
		if s.Terminal() {
			t[s] = text(s, " false -> ", s)
		} else {
			t[s] = text(s, " true -> cancelled")
		}
	}
	return t
}

// L1, L2, L5, L7: every action in every state, with its answer.
func TestTransitionsL1L2L5L7(t *testing.T) {
	tried := 0
	for _, o := range ops {
		for _, s := range all {
			var w Word
			w.v.Store(pack(gen, s))
			want, listed := o.want[s]
			if !listed {
				want = "false -> " + s.String()
			}
			got := o.do(&w)
			g, after := w.Load()
			if got += " -> " + after.String(); got != want || g != gen {
				t.Errorf("%s in %s: got %s of generation %d, want %s", o.name, s, got, g, want)
			}
			tried++
		}
	}
	if tried != len(ops)*len(all) {
		t.Fatalf("tried %d of %d", tried, len(ops)*len(all))
	}
}

// L1: no action leaves a terminal state, whatever sequence is tried.
func TestTerminalStatesNeverChangeL1(t *testing.T) {
	for _, s := range []State{Completed, Failed, Cancelled} {
		var w Word
		w.v.Store(pack(gen, s))
		for range 3 {
			for _, o := range ops {
				o.do(&w)
				if g, now := w.Load(); now != s || g != gen {
					t.Fatalf("%s: %s moved it to %s of generation %d", s, o.name, now, g)
				}
			}
		}
	}
}

// A recycled word is the next task's: Queued, one generation on, and deaf to
// the handle of the last.
func TestRecycle(t *testing.T) {
	for _, s := range []State{Completed, Failed, Cancelled} {
		var w Word
		w.v.Store(pack(7, s))
		w.Recycle(7, s)
		if g, now := w.Load(); g != 8 || now != Queued {
			t.Fatalf("%s recycled to %s of generation %d", s, now, g)
		}
		if w.Begun(7) || !w.Begun(8) {
			t.Fatal("want only the new generation to have begun")
		}
		if _, won := w.Cancel(7); won || w.Claim(7) || w.Schedule(7) {
			t.Error("the last task's handle acts on the next task")
		}
		if _, now := w.Load(); now != Queued {
			t.Errorf("the next task is %s", now)
		}
	}
}

func TestRecyclePanicsUnlessTerminal(t *testing.T) {
	for _, s := range []State{Queued, Idle, Running, Notified} {
		func() {
			defer func() {
				if r := recover(); r != "lifecycle: recycle as "+s.String()+" of a task that is "+s.String() {
					t.Errorf("recycle of %s: recovered %v", s, r)
				}
			}()
			var w Word
			w.v.Store(pack(gen, s))
			w.Recycle(gen, s)
		}()
	}
}

func TestFinishPanicsOnOtherOutcomes(t *testing.T) {
	for _, s := range []State{Queued, Idle, Running, Notified, Cancelled} {
		func() {
			defer func() {
				if r := recover(); r != "lifecycle: finish as "+s.String() {
					t.Errorf("finish as %s: recovered %v", s, r)
				}
			}()
			var w Word
			w.Finish(0, s)
		}()
	}
}

// race lets every action loose on one word at once and returns the answers in
// the order of the actions.
func race(w *Word, acts ...func(*Word) bool) []bool {
	start := make(chan struct{})
	won := make([]bool, len(acts))
	var wg sync.WaitGroup
	for i, act := range acts {
		wg.Go(func() { <-start; won[i] = act(w) })
	}
	close(start)
	wg.Wait()
	return won
}

func claim(w *Word) bool    { return w.Claim(0) }
func cancel(w *Word) bool   { _, won := w.Cancel(0); return won }
func complete(w *Word) bool { return w.Finish(0, Completed) }
func fail(w *Word) bool     { return w.Finish(0, Failed) }

// L2, L4: of racing ends one wins, and the state is the winner's; of racing
// claims one wins. Each outcome must have been seen, or the race was no race.
func TestOneWinnerL2L4(t *testing.T) {
	rounds := 20000
	if testing.Short() {
		rounds = 2000
	}
	seen := map[State]int{}
	outcomes := []State{Cancelled, Completed, Failed, Cancelled}
	for i := range rounds {
		var w Word
		if claims := race(&w, claim, claim); claims[0] == claims[1] {
			t.Fatalf("round %d: claims %v", i, claims)
		}
		// The arms rotate, so that each is started first as often as another.
		arms := []func(*Word) bool{cancel, complete, fail, cancel}
		k := i % len(arms)
		won := race(&w, append(slices.Clone(arms[k:]), arms[:k]...)...)
		winner := slices.Index(won, true)
		if winner < 0 || slices.Contains(won[winner+1:], true) {
			t.Fatalf("round %d: winners %v", i, won)
		}
		_, got := w.Load()
		if want := outcomes[(winner+k)%len(arms)]; got != want {
			t.Fatalf("round %d: state %s, winner wanted %s", i, got, want)
		}
		seen[got]++
	}
	for _, s := range []State{Completed, Failed, Cancelled} {
		if seen[s] == 0 {
			t.Errorf("%s never won of %d rounds: %v", s, rounds, seen)
		}
	}
}
