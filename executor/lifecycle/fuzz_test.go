package lifecycle

import (
	"fmt"
	"testing"
)

// slow is the machine without packing, swaps or loops: a task's generation and
// state, and for each action the picture in the package doc, read arrow by arrow.
type slow struct {
	gen   Gen
	state State
}

// mine reports whether an action with that generation is about the task that there
// is, and it has not ended.
func (m *slow) mine(g Gen) bool { return g == m.gen && !m.state.Terminal() }

func (m *slow) begun(g Gen) string { return fmt.Sprint(m.mine(g) && m.state == Queued) }

func (m *slow) schedule(g Gen) string {
	if m.mine(g) && m.state == Idle {
		m.state = Queued
		return "true"
	}
	if m.mine(g) && m.state == Running {
		m.state = Notified
	}
	return "false"
}

func (m *slow) claim(g Gen) string {
	if m.mine(g) && m.state == Queued {
		m.state = Running
		return "true"
	}
	return "false"
}

func (m *slow) pend(g Gen, again bool) string {
	switch {
	case m.mine(g) && m.state == Running:
		m.state = Idle
		return "park"
	case m.mine(g) && m.state == Notified && again:
		m.state = Queued
		return "requeue"
	case m.mine(g) && m.state == Notified:
		m.state = Running
		return "again"
	}
	return "drop"
}

func (m *slow) finish(g Gen, end State) string {
	if m.mine(g) && (m.state == Running || m.state == Notified) {
		m.state = end
		return "true"
	}
	return "false"
}

func (m *slow) cancel(g Gen) string {
	if g != m.gen {
		return "queued false" // the zero State
	}
	from := m.state
	if from.Terminal() {
		return from.String() + " false"
	}
	m.state = Cancelled
	return from.String() + " true"
}

func (m *slow) recycle(g Gen, s State) string {
	if g != m.gen || s != m.state || !s.Terminal() {
		return "panic"
	}
	m.gen, m.state = m.gen+1, Queued
	return "next"
}

func recycled(w *Word, g Gen, s State) (answer string) {
	defer func() {
		if recover() != nil {
			answer = "panic"
		}
	}()
	w.Recycle(g, s)
	return "next"
}

// actions are what a byte of a history can be, on both machines.
var actions = []struct {
	name string
	word func(*Word, Gen) string
	slow func(*slow, Gen) string
}{
	{"begun", func(w *Word, g Gen) string { return fmt.Sprint(w.Begun(g)) }, (*slow).begun},
	{"schedule", func(w *Word, g Gen) string { return fmt.Sprint(w.Schedule(g)) }, (*slow).schedule},
	{"claim", func(w *Word, g Gen) string { return fmt.Sprint(w.Claim(g)) }, (*slow).claim},
	{"pend", func(w *Word, g Gen) string { return w.Pend(g, false).String() }, func(m *slow, g Gen) string { return m.pend(g, false) }},
	{"pend again", func(w *Word, g Gen) string { return w.Pend(g, true).String() }, func(m *slow, g Gen) string { return m.pend(g, true) }},
	{"complete", func(w *Word, g Gen) string { return fmt.Sprint(w.Finish(g, Completed)) }, func(m *slow, g Gen) string { return m.finish(g, Completed) }},
	{"fail", func(w *Word, g Gen) string { return fmt.Sprint(w.Finish(g, Failed)) }, func(m *slow, g Gen) string { return m.finish(g, Failed) }},
	{"cancel", func(w *Word, g Gen) string { from, won := w.Cancel(g); return fmt.Sprint(from, " ", won) }, (*slow).cancel},
	{"recycle completed", func(w *Word, g Gen) string { return recycled(w, g, Completed) }, func(m *slow, g Gen) string { return m.recycle(g, Completed) }},
	{"recycle failed", func(w *Word, g Gen) string { return recycled(w, g, Failed) }, func(m *slow, g Gen) string { return m.recycle(g, Failed) }},
	{"recycle cancelled", func(w *Word, g Gen) string { return recycled(w, g, Cancelled) }, func(m *slow, g Gen) string { return m.recycle(g, Cancelled) }},
	{"recycle idle", func(w *Word, g Gen) string { return recycled(w, g, Idle) }, func(m *slow, g Gen) string { return m.recycle(g, Idle) }},
}

// play carries a history out on both: a byte an action, of the generation that is, or
// of one before or after, as late and early handles have. It returns where they
// first differ, and how many recyclings there were.
func play(data []byte, actWord func(i int, w *Word, g Gen) string) (difference string, recycles int) {
	var w Word
	var m slow
	for at, b := range data {
		i := int(b) % len(actions)
		g := m.gen + Gen(int(b)/len(actions)%8/6) // most often that which is, sometimes the next
		if int(b)/len(actions)%8 == 5 {
			g = m.gen - 1
		}
		want, got := actions[i].slow(&m, g), actWord(i, &w, g)
		gen, state := w.Load()
		if got != want || gen != m.gen || state != m.state {
			return fmt.Sprintf("action %d, %s of generation %d: %s and %s of %d, want %s and %s of %d", at, actions[i].name, g, got, state, gen, want, m.state, m.gen), recycles
		}
		if want == "next" {
			recycles++
		}
	}
	return "", recycles
}

func onWord(i int, w *Word, g Gen) string { return actions[i].word(w, g) }

// life is a whole one: claimed, woken, polled again, parked, woken, claimed, ended,
// and given to the next task, that a late handle acts on.
var life = []byte{2, 1, 3, 3, 1, 2, 5, 8, 7 + 12*5, 0, 7, 10}

// FuzzHistory: over any history of calls, late and early ones among them, the word
// answers as the slow machine does, and stands where it stands.
func FuzzHistory(f *testing.F) {
	f.Add(life)
	f.Add([]byte{7, 10, 2, 6, 9, 8, 11, 2 + 12*6, 1})
	f.Add([]byte{2, 1, 4, 2, 1, 7, 5, 10})
	f.Fuzz(func(t *testing.T, data []byte) {
		if difference, _ := play(data, onWord); difference != "" {
			t.Error(difference)
		}
	})
}

// TestHistoryIsCompared: the comparison reaches the next generation, and finds a word
// that loses a wake and one that minds no generation.
func TestHistoryIsCompared(t *testing.T) {
	if difference, recycles := play(life, onWord); difference != "" || recycles != 2 {
		t.Errorf("%q, %d recyclings", difference, recycles)
	}
	for fault, act := range map[string]func(i int, w *Word, g Gen) string{
		"a wake of a running task is lost": func(i int, w *Word, g Gen) string {
			if _, s := w.Load(); actions[i].name == "schedule" && s == Running {
				return "false"
			}
			return onWord(i, w, g)
		},
		"a late cancel hits the next task": func(i int, w *Word, g Gen) string {
			if actions[i].name == "cancel" {
				g, _ = w.Load()
			}
			return onWord(i, w, g)
		},
	} {
		if difference, _ := play(life, act); difference == "" {
			t.Errorf("%s: not found", fault)
		}
	}
}
