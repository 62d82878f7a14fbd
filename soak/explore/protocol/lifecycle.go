package protocol

import (
	"fmt"
	"strings"

	"github.com/exactlyonce/certify/executor/lifecycle"
	"github.com/exactlyonce/certify/soak/explore"
)

// step is a call on the word of a task. Its thread knows whether the last claim or
// end of its was told true.
type step struct {
	name string
	do   func(w *lifecycle.Word, won *bool) string
}

// notMine is the answer of a call that is its thread's only after one that won.
const notMine = "not mine"

var (
	claim = step{"claim", func(w *lifecycle.Word, won *bool) string {
		*won = w.Claim(0)
		return fmt.Sprint(*won)
	}}
	finish = step{"finish", func(w *lifecycle.Word, won *bool) string {
		if !*won {
			return notMine
		}
		*won = w.Finish(0, lifecycle.Completed)
		return fmt.Sprint(*won)
	}}
	pend = step{"pend", func(w *lifecycle.Word, won *bool) string {
		if !*won {
			return notMine
		}
		next := w.Pend(0, false)
		*won = next == lifecycle.Again
		return next.String()
	}}
	wake   = step{"wake", func(w *lifecycle.Word, _ *bool) string { return fmt.Sprint(w.Schedule(0)) }}
	cancel = step{"cancel", func(w *lifecycle.Word, _ *bool) string {
		from, won := w.Cancel(0)
		if won {
			return fmt.Sprint("won from ", from)
		}
		return fmt.Sprint("lost to ", from)
	}}
	recycle = step{"recycle", func(w *lifecycle.Word, won *bool) string {
		if !*won {
			return notMine
		}
		w.Recycle(0, lifecycle.Completed)
		return "done"
	}}
	look = step{"look", func(w *lifecycle.Word, _ *bool) string {
		g, s := w.Load()
		return fmt.Sprint(g, s)
	}}
	nextClaim = step{"claim of the next", func(w *lifecycle.Word, _ *bool) string { return fmt.Sprint(w.Claim(1)) }}
)

// arrows are those of the drawing in package lifecycle: where a call leads from each
// state. From all others, and for who has no say, it leads nowhere.
var arrows = map[string]map[lifecycle.State]lifecycle.State{
	"claim":             {lifecycle.Queued: lifecycle.Running},
	"claim of the next": {lifecycle.Queued: lifecycle.Running},
	"wake":              {lifecycle.Idle: lifecycle.Queued, lifecycle.Running: lifecycle.Notified},
	"pend":              {lifecycle.Running: lifecycle.Idle, lifecycle.Notified: lifecycle.Running},
	"finish":            {lifecycle.Running: lifecycle.Completed, lifecycle.Notified: lifecycle.Completed},
	"recycle":           {lifecycle.Completed: lifecycle.Queued},
	"cancel": {lifecycle.Queued: lifecycle.Cancelled, lifecycle.Idle: lifecycle.Cancelled,
		lifecycle.Running: lifecycle.Cancelled, lifecycle.Notified: lifecycle.Cancelled},
}

// drawn returns an error if a call led somewhere else than along its arrow. Calls of
// a task that another one has followed lead nowhere.
func drawn(call, answer string, g lifecycle.Gen, from lifecycle.State, h lifecycle.Gen, to lifecycle.State) error {
	want, next := from, g
	if at, ok := arrows[call][from]; ok && answer != notMine && (g == 0) != (call == nextClaim.name) {
		want = at
		if call == recycle.name {
			next++
		}
	}
	if to != want || h != next {
		return fmt.Errorf("%s leads from %v of task %d to %v of task %d, and the arrow to %v of task %d", call, from, g, to, h, want, next)
	}
	return nil
}

// life is a program: what is done before, and by each thread.
type life struct {
	name    string
	before  []step
	threads [][]step
}

func lives() []life {
	run, poll := []step{claim, finish}, []step{claim, pend, finish}
	return []life{
		{"claim-claim-cancel", nil, [][]step{run, run, {cancel}}},
		{"end-cancel-cancel", nil, [][]step{run, {cancel}, {cancel, look}}},
		{"poll-wake", nil, [][]step{poll, {wake}, {look, look}}},
		{"poll-wake-wake-claim", nil, [][]step{poll, {wake, wake}, {claim, finish}}},
		{"poll-wake-cancel", nil, [][]step{poll, {wake, look}, {cancel}}},
		{"idle-wake-wake-cancel", []step{claim, pend}, [][]step{{wake, claim, finish}, {wake, claim, finish}, {cancel}}},
		{"end-recycle-late", nil, [][]step{{claim, finish, recycle}, {wake, cancel, claim}, {nextClaim, look}}},
		{"end-recycle-look", nil, [][]step{{claim, finish, recycle}, {look, look, look}, {nextClaim}}},
	}
}

func lifecycles() (all []*program) {
	for _, l := range lives() {
		allowed, err := l.sequences()
		counts := tally{}
		all = append(all, &program{
			protocol: "lifecycle", name: l.name, threads: len(l.threads), counts: counts,
			body: func(t *explore.T) { l.body(t, allowed, err, counts) },
		})
	}
	return all
}

// body runs the threads on the word as it is, and asks for answers and an end that
// some order of whole calls has.
func (l life) body(t *explore.T, allowed map[string]bool, fault error, counts tally) {
	w := new(lifecycle.Word)
	t.Name("word", w)
	l.prepare(w)
	answers := make([][]string, len(l.threads))
	for i, steps := range l.threads {
		t.Go(func() {
			won := false
			for _, s := range steps {
				explore.Call(s.name, func() { answers[i] = append(answers[i], s.name+" "+s.do(w, &won)) })
			}
		})
	}
	t.Check(func() error {
		got := ending(w, answers)
		counts.meet("completed", strings.Contains(got, "finish true"))
		counts.meet("cancelled", strings.Contains(got, "cancel won"))
		counts.meet("repolled", strings.Contains(got, "pend again"))
		if fault == nil && !allowed[got] {
			return fmt.Errorf("no order of the calls has these answers: %s", got)
		}
		return fault
	})
}

func (l life) prepare(w *lifecycle.Word) {
	won := false
	for _, s := range l.before {
		s.do(w, &won)
	}
}

func ending(w *lifecycle.Word, answers [][]string) string {
	var all []string
	for _, a := range answers {
		all = append(all, strings.Join(a, ", "))
	}
	g, s := w.Load()
	return fmt.Sprintf("%s -> %d %v", strings.Join(all, " | "), g, s)
}

// sequences are the answers and ends of all orders of whole calls. Each call must
// lead along an arrow, or a fault says which does not.
func (l life) sequences() (all map[string]bool, fault error) {
	all = map[string]bool{}
	var walk func(order []int)
	walk = func(order []int) {
		over := true
		for i, steps := range l.threads {
			if n := count(order, i); n < len(steps) {
				over = false
				walk(append(order[:len(order):len(order)], i))
			}
		}
		if over {
			end, err := l.play(order)
			all[end] = true
			if err != nil {
				fault = err
			}
		}
	}
	walk(nil)
	return all, fault
}

func count(order []int, thread int) (n int) {
	for _, i := range order {
		if i == thread {
			n++
		}
	}
	return n
}

// play makes the calls one after the other, in the order of their threads' numbers.
func (l life) play(order []int) (end string, fault error) {
	w := new(lifecycle.Word)
	l.prepare(w)
	answers, won := make([][]string, len(l.threads)), make([]bool, len(l.threads))
	for _, i := range order {
		s := l.threads[i][len(answers[i])]
		g, from := w.Load()
		answer := s.do(w, &won[i])
		answers[i] = append(answers[i], s.name+" "+answer)
		h, to := w.Load()
		if err := drawn(s.name, answer, g, from, h, to); err != nil {
			fault = err
		}
	}
	return ending(w, answers), fault
}
