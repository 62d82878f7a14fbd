package lifecycle

import (
	"fmt"
	"strings"
	"testing"
)

// An actor of the interleaving tests does one thing to a word, as a sequence
// of atomic steps: what a method of Word does, cut at its loads and swaps. The
// steps are the specification's and not the code's, so that the two are
// checked against each other: see TestStepsAreTheMethods.
type actor struct {
	name string
	// step does the next atomic step, of which at is the number, knowing what
	// the last load saw. It returns done with the actor's answer.
	step func(v *uint64, at int, saw *uint64) (answer string, done bool)
	do   func(*Word) string // the method
}

// single is an actor of one swap.
func single(name string, from, to State, do func(*Word) string) actor {
	return actor{name, func(v *uint64, _ int, _ *uint64) (string, bool) {
		if *v != pack(0, from) {
			return "false", true
		}
		*v = pack(0, to)
		return "true", true
	}, do}
}

// loop is an actor that loads, decides, and swaps until a swap takes.
func loop(name string, decide func(State) (to State, answer string, swap bool), do func(*Word) string) actor {
	return actor{name, func(v *uint64, at int, saw *uint64) (string, bool) {
		if at%2 == 0 {
			*saw = *v
			_, s := unpack(*saw)
			_, answer, swap := decide(s)
			return answer, !swap
		}
		if *v != *saw {
			return "", false // again
		}
		_, s := unpack(*saw)
		to, answer, _ := decide(s)
		*v = pack(0, to)
		return answer, true
	}, do}
}

func actors() []actor {
	finish := func(end State) actor {
		return actor{"finish " + end.String(), func(v *uint64, at int, _ *uint64) (string, bool) {
			from := []State{Running, Notified}[at]
			if *v == pack(0, from) {
				*v = pack(0, end)
				return "true", true
			}
			return "false", at == 1
		}, func(w *Word) string { return text(w.Finish(0, end)) }}
	}
	pend := func(again bool) actor {
		to, answer := Running, "again"
		if again {
			to, answer = Queued, "requeue"
		}
		return actor{"pend " + answer, func(v *uint64, at int, _ *uint64) (string, bool) {
			_, s := unpack(*v)
			switch {
			case at%3 == 0 && s == Running:
				*v = pack(0, Idle)
				return "park", true
			case at%3 == 1 && s == Notified:
				*v = pack(0, to)
				return answer, true
			case at%3 == 2 && s != Running && s != Notified:
				return "drop", true
			}
			return "", false
		}, func(w *Word) string { return text(w.Pend(0, again)) }}
	}
	return []actor{
		single("claim", Queued, Running, func(w *Word) string { return text(w.Claim(0)) }),
		loop("schedule", func(s State) (State, string, bool) {
			switch s {
			case Idle:
				return Queued, "true", true
			case Running:
				return Notified, "false", true
			}
			return s, "false", false
		}, func(w *Word) string { return text(w.Schedule(0)) }),
		loop("cancel", func(s State) (State, string, bool) {
			if s.Terminal() {
				return s, text(s, " false"), false
			}
			return Cancelled, text(s, " true"), true
		}, func(w *Word) string { from, won := w.Cancel(0); return text(from, " ", won) }),
		finish(Completed), finish(Failed), pend(false), pend(true),
	}
}

// owned tells whether only the owner of a run may do it: there is one at most.
func owned(a actor) bool {
	return strings.HasPrefix(a.name, "finish") || strings.HasPrefix(a.name, "pend")
}

// thread is an actor on its way.
type thread struct {
	actor
	at     int
	saw    uint64
	answer string
	done   bool
}

// explore walks every interleaving of the threads' steps from word v, and gives
// each end to visit.
func explore(v uint64, threads []thread, path []uint64, visit func(v uint64, threads []thread, path []uint64)) {
	over := true
	for i := range threads {
		if threads[i].done {
			continue
		}
		over = false
		next, word := append([]thread(nil), threads...), v
		t := &next[i]
		t.answer, t.done = t.step(&word, t.at, &t.saw)
		t.at++
		explore(word, next, append(path[:len(path):len(path)], word), visit)
	}
	if over {
		visit(v, threads, path)
	}
}

// sequences returns every outcome (answers in the order of the actors, and the
// last state) that the methods have when called one after the other, in any
// order.
func sequences(from State, as []actor) map[string]bool {
	outcomes := map[string]bool{}
	var walk func(w uint64, left []int, answers []string)
	walk = func(v uint64, left []int, answers []string) {
		if len(left) == 0 {
			_, s := unpack(v)
			outcomes[strings.Join(answers, ", ")+" -> "+s.String()] = true
		}
		for i, n := range left {
			var w Word
			w.v.Store(v)
			got := append([]string(nil), answers...)
			got[n] = as[n].name + " " + as[n].do(&w)
			rest := append(append([]int(nil), left[:i]...), left[i+1:]...)
			walk(w.v.Load(), rest, got)
		}
	}
	order := make([]int, len(as))
	for i := range order {
		order[i] = i
	}
	walk(pack(0, from), order, make([]string, len(as)))
	return outcomes
}

// groups calls f with every group of n actors that can meet: at most one owner
// of the run, and claimers only where there is none.
func groups(n int, f func([]actor)) {
	all := actors()
	var pick func(from int, chosen []actor, owners int)
	pick = func(from int, chosen []actor, owners int) {
		if len(chosen) == n {
			f(chosen)
			return
		}
		for i := from; i < len(all); i++ { // the same one twice is two cancels, two wakes, two claims
			o := owners
			if owned(all[i]) {
				o++
			}
			if o <= 1 {
				pick(i, append(chosen[:len(chosen):len(chosen)], all[i]), o)
			}
		}
	}
	pick(0, nil, 0)
}

// L1, L2, L4, L5, L7: over all interleavings of the steps of two and of three
// actors, from every state, the answers and the end are those of some order of
// whole calls (the word is linearizable, and the table of TestTransitions says
// the rest); no terminal state is left; and at most one claim, one cancel and
// one end win.
func TestAllInterleavingsL1L2L4L5L7(t *testing.T) {
	for _, n := range []int{2, 3} {
		runs := 0
		groups(n, func(as []actor) {
			for _, from := range all {
				if owners(as) > 0 && from != Running && from != Notified && from != Cancelled {
					continue // the owner of a run finds its task in no other state
				}
				allowed := sequences(from, as)
				threads := make([]thread, len(as))
				for i, a := range as {
					threads[i].actor = a
				}
				explore(pack(0, from), threads, []uint64{pack(0, from)}, func(v uint64, ends []thread, path []uint64) {
					runs++
					got := outcome(v, ends)
					if !allowed[got] {
						t.Errorf("from %s: %s is no order of whole calls: %v", from, got, allowed)
					}
					checkPath(t, path)
				})
			}
		})
		t.Logf("%d actors: %d interleavings", n, runs)
		if runs < map[int]int{2: 200, 3: 5000}[n] {
			t.Errorf("only %d interleavings of %d actors", runs, n)
		}
	}
}

func owners(as []actor) (n int) {
	for _, a := range as {
		if owned(a) {
			n++
		}
	}
	return n
}

func outcome(v uint64, ends []thread) string {
	var answers []string
	for _, e := range ends {
		answers = append(answers, e.name+" "+e.answer)
	}
	_, s := unpack(v)
	return strings.Join(answers, ", ") + " -> " + s.String()
}

// checkPath checks what holds between the words of one history.
func checkPath(t *testing.T, path []uint64) {
	t.Helper()
	claims, queued := 0, 0
	if _, s := unpack(path[0]); s == Queued {
		queued++
	}
	for i := 1; i < len(path); i++ {
		_, before := unpack(path[i-1])
		_, after := unpack(path[i])
		if before.Terminal() && before != after {
			t.Errorf("%s became %s", before, after)
		}
		if before == Queued && after == Running {
			claims++
		}
		if before != Queued && after == Queued {
			queued++
		}
		if before == Idle && after == Running {
			t.Errorf("%s became %s without a place in a queue", before, after)
		}
	}
	if claims > queued {
		t.Errorf("queued %d times and claimed %d times", queued, claims)
	}
}

// The steps of an actor alone do what its method does, from every state.
func TestStepsAreTheMethods(t *testing.T) {
	for _, a := range actors() {
		for _, from := range all {
			explore(pack(0, from), []thread{{actor: a}}, nil, func(v uint64, ends []thread, _ []uint64) {
				var w Word
				w.v.Store(pack(0, from))
				want := a.do(&w)
				if ends[0].answer != want || v != w.v.Load() {
					t.Errorf("%s from %s: steps say %s, the method %s", a.name, from, ends[0].answer, want)
				}
			})
		}
	}
}

// A finish that stores blindly, and a pend that does, are caught.
func TestInterleavingsCatchBlindStores(t *testing.T) {
	blind := func(name string, to State, answer string, do func(*Word) string) actor {
		return actor{name, func(v *uint64, at int, saw *uint64) (string, bool) {
			if at == 0 {
				*saw = *v
				_, s := unpack(*v)
				return "false", s != Running && s != Notified
			}
			*v = pack(0, to) // the state may have changed
			return answer, true
		}, do}
	}
	for _, bad := range []actor{
		blind("finish", Completed, "true", func(w *Word) string { return text(w.Finish(0, Completed)) }),
		blind("pend", Idle, "park", func(w *Word) string { return text(w.Pend(0, false)) }),
	} {
		for _, other := range actors()[1:3] { // a wake, a cancel
			caught := 0
			as := []actor{bad, other}
			allowed := sequences(Running, as)
			explore(pack(0, Running), []thread{{actor: bad}, {actor: other}}, nil, func(v uint64, ends []thread, _ []uint64) {
				if !allowed[outcome(v, ends)] {
					caught++
				}
			})
			if caught == 0 && !(bad.name == "finish" && other.name == "schedule") { // a wake of a task that ends is absorbed
				t.Errorf("blind %s against %s: not caught: %v", bad.name, other.name, fmt.Sprint(allowed))
			}
		}
	}
}
