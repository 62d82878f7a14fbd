package explore_test

import (
	"testing"

	"github.com/exactlyonce/certify/soak/explore"
)

// words are the owner's words of a length that begin with a push.
func words(length int) (all []string) {
	for bits := range 1 << (length - 1) {
		word := []byte{'P'}
		for i := range length - 1 {
			word = append(word, "Pp"[bits>>i&1])
		}
		all = append(all, string(word))
	}
	return all
}

// hunt explores all duels of words up to a length, on a deque for two items,
// with one thief, one that steals twice, and two, until one fails.
func hunt(t *testing.T, fault string, from, to int) (found *explore.Failure, scenarios, executions int) {
	for length := from; length <= to; length++ {
		for _, word := range words(length) {
			for _, thieves := range [][]int{{1}, {2}, {1, 1}} {
				r := run(t, duel(2, fault, word, thieves...), explore.Options{})
				scenarios++
				executions += r.Executions
				if r.Failure != nil {
					return r.Failure, scenarios, executions
				}
			}
		}
	}
	return nil, scenarios, executions
}

// TestDequeMutants: every duel of up to six operations is right, and each
// fault of the textbook deque makes one of them wrong.
func TestDequeMutants(t *testing.T) {
	if testing.Short() {
		t.Skip("explores 60,000 orders")
	}
	found, scenarios, executions := hunt(t, "", 5, 6)
	t.Logf("the deque: %d scenarios, %d executions", scenarios, executions)
	if found != nil {
		t.Errorf("the deque: %v", found)
	}
	for _, fault := range faults {
		found, scenarios, executions := hunt(t, fault, 2, 6)
		if found == nil || found.Verdict != explore.Wrong {
			t.Errorf("%s: %v", fault, found)
			continue
		}
		t.Logf("%s: scenario %d, execution %d: %v", fault, scenarios, executions, found)
	}
}

// TestQueueMutants: each fault of the textbook queue makes a small mix wrong,
// but for two that need nodes which come back: these two are shown to be
// equal to the queue in all of the mixes.
func TestQueueMutants(t *testing.T) {
	if testing.Short() {
		t.Skip("explores 7,000 orders")
	}
	mixes := [][]string{{"E", "D"}, {"EE", "DD"}, {"ED", "ED"}, {"E", "E", "D"}, {"E", "D", "D"}, {"EE", "D", "D"}, {"E", "E", "DD"}}
	for _, test := range []struct {
		fault string
		want  explore.Verdict
	}{
		{"", explore.Passed},
		{"enqueue links with a store", explore.Wrong},
		{"dequeue moves the head with a store", explore.Wrong},
		{"enqueue does not help", explore.Livelock},
		{"enqueue stores the tail", explore.Passed},
		{"dequeue does not look at the head again", explore.Passed},
	} {
		var first *explore.Failure
		executions := 0
		for _, words := range mixes {
			r := run(t, mix(test.fault, words...), explore.Options{Solo: solo(test.want), Patience: 200})
			executions += r.Executions
			if r.Failure != nil {
				first = r.Failure
				break
			}
			if !r.Exhausted {
				t.Errorf("%s %v: %v", test.fault, words, r)
			}
		}
		t.Logf("%q: %d executions: %v", test.fault, executions, first)
		if test.want == explore.Passed && first != nil {
			t.Errorf("%s: %v", test.fault, first)
		} else if test.want != explore.Passed && first == nil {
			t.Errorf("%s survived %d executions", test.fault, executions)
		}
	}
}

// solo asks for runs of one thread alone where progress is at stake.
func solo(want explore.Verdict) int {
	if want == explore.Livelock {
		return 100
	}
	return 0
}
