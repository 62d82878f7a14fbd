package tree

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// fault is an error that can be told from others.
type fault int

func (f fault) Error() string { return fmt.Sprintf("fault %d", int(f)) }

// history runs one sequence of calls on a tree and on the model.
type history struct {
	tree  *Tree
	under machine // the tree, or a mutant of it
	model *model
	draw  func(n int) int // 0 <= draw(n) < n
	theme theme
	tally *tally
	calls []call
	count int // faults and values given out
}

// starts are numbers to begin after: next to the end they run out.
var starts = []ID{0, 0, 0, 0, 0, 0, 0, math.MaxUint64 - 4}

func newHistory(draw func(int) int, mutate func(*Tree) machine, n *tally) *history {
	const run = 7
	last := starts[draw(len(starts))]
	h := &history{tree: New(run), model: newModel(run, last), draw: draw, tally: n}
	h.theme = themes[draw(len(themes))]
	h.tree.renumber(last)
	h.under = h.tree
	if mutate != nil {
		h.under = mutate(h.tree)
	}
	return h
}

// renumber makes a new tree one whose root is the number after last.
func (t *Tree) renumber(last ID) {
	root := t.scopes[t.root]
	delete(t.scopes, t.root)
	t.last = last
	root.id = t.number()
	root.task, t.root = root.id, root.id
	t.scopes[root.id] = root
}

// play makes steps calls and then ends whatever is left.
func (h *history) play(steps int) error {
	for past := 0; steps > 0 && past < 3; steps-- { // a few after the end of all
		if h.model.scope(h.model.Root()) == nil {
			past++
		}
		if err := h.step(h.random()); err != nil {
			return err
		}
	}
	return h.windUp()
}

// step makes a call on both and compares.
func (h *history) step(c call) error {
	h.calls = append(h.calls, c)
	h.model.refuse, h.model.fresh = c.refuse, h.model.fresh[:0]
	refuse := c.refuse
	h.tree.reserve = func(string) error {
		if refuse--; refuse == 0 {
			return errRefused
		}
		return nil
	}
	got, want := ops[c.op].run(h.under, &c), ops[c.op].run(h.model, &c)
	got.normal()
	want.normal()
	if got != want {
		return h.differ("answer", got, want)
	}
	result := want.result()
	if result < 0 || !strings.Contains(ops[c.op].may, results[result].name) {
		return h.differ("result", want, ops[c.op].may)
	}
	h.tally[c.op][result]++
	if err := h.compareStopped(); err != nil {
		return err
	}
	return h.compare()
}

func (h *history) compareStopped() error {
	var got []ID
	for id, why, ok := h.tree.NextStopped(); ok; id, why, ok = h.tree.NextStopped() {
		got = append(got, id)
		for _, s := range h.model.scopes {
			if s.id == id && (s.reason == nil || *s.reason != why) {
				return h.differ("reason", why, s.reason)
			}
		}
	}
	slices.Sort(got)
	slices.Sort(h.model.fresh)
	if !slices.Equal(got, h.model.fresh) {
		return h.differ("stopped", got, h.model.fresh)
	}
	return nil
}

func (h *history) differ(what string, got, want any) error {
	last := h.calls[len(h.calls)-1]
	return fmt.Errorf("%s of %s: got %+v, want %+v\ncalls:%s", what, ops[last.op].name, got, want, h.text())
}

// text is the calls, one a line.
func (h *history) text() string {
	var b strings.Builder
	for i, c := range h.calls {
		fmt.Fprintf(&b, "\n%3d %-12s scope %d task %v thing %v move %v supervised %v keep %v %v %v, %d cleanup, refuse %d",
			i, ops[c.op].name, c.s, c.task.Key, c.thing.Key, c.move, c.supervised, c.keep, c.why.End, c.why.Err, c.cleanup.n, c.refuse)
	}
	return b.String()
}

// random draws a call. Most name what is there; some what was, or never.
func (h *history) random() call {
	h.count++
	if h.draw(h.theme.patience) == 0 {
		if c, ok := h.advance(); ok {
			return c
		}
	}
	c := call{op: h.theme.lottery[h.draw(len(h.theme.lottery))], value: h.count}
	c.s = h.anyScope()
	bits := h.draw(64)
	c.supervised, c.keep = bits&1 == 0, bits&6 != 0
	if bits>>3 == 0 {
		c.refuse = 1 + h.draw(3)
	}
	switch ops[c.op].name {
	case "Stop", "BodyDone":
		if c.s == h.model.Root() && h.draw(16) > 0 {
			c.s = h.newestScope() // the root's end would leave little to do
		}
		// Few, because a failure may climb to the root and end everything.
		c.why.End = []End{Failed, Cancelled, Cancelled, Completed}[min(h.draw(16), 3)]
		if c.why.End != Completed {
			c.why.Err = fault(h.count)
		}
		c.cleanup = h.errors()
	case "Settle":
		c.cleanup = h.errors()
	case "Spawn":
		for range []int{0, 0, 0, 0, 0, 0, 1, 2}[h.draw(8)] {
			c.move = append(c.move, h.anyThing(c.s))
		}
	case "ClaimJoin", "Discard", "Cancel":
		c.task = h.anyTask(c.s)
	default:
		c.thing = h.anyThing(0)
	}
	return c
}

// errors is mostly empty, seldom more than can be kept.
func (h *history) errors() (c Cleanup) {
	for i := range []int{1, 2, 20, 0}[min(h.draw(24), 3)] {
		c.Add(fault(1000*h.count + i))
	}
	return c
}

func (h *history) anyScope() ID {
	all := h.model.scopes
	switch h.draw(16) {
	case 0:
		return all[h.draw(len(all))].id
	case 1:
		return h.model.next + 100
	}
	open := h.draw(4) > 0
	live := slices.DeleteFunc(slices.Clone(all), func(s *modelScope) bool {
		return s.ended || open && h.model.Checkpoint(s.id) != nil
	})
	if len(live) == 0 {
		return h.newestScope()
	}
	return live[h.draw(len(live))].id
}

// advance is the next step towards the end of some scope that cannot begin
// anything, without which the others could not either.
func (h *history) advance() (c call, ok bool) {
	s := h.model.scope(h.anyBusy())
	if s == nil {
		return c, false
	}
	c = call{s: s.id, cleanup: h.errors()}
	newest := h.model.newest(s.id)
	switch {
	case s.waits != 0:
		c.op = opNamed("PollJoin")
	case s.joining:
		c.op = opNamed("BeginRelease")
	case s.releasing && newest == nil:
		c.op = opNamed("Settle")
	case s.releasing:
		c.op, c.thing = opNamed("ClaimClose"), Token{h.model.run, newest.id}
		if newest.claimed {
			c.op = opNamed("FinishClose")
		}
	case s.kind == rooted:
		return c, false
	default:
		c.op = opNamed("BodyDone")
	}
	return c, true
}

func (h *history) anyBusy() ID {
	live := slices.DeleteFunc(slices.Clone(h.model.scopes), func(s *modelScope) bool {
		return s.ended || h.model.Checkpoint(s.id) == nil
	})
	if len(live) == 0 {
		return 0
	}
	return live[h.draw(len(live))].id
}

func (h *history) newestScope() ID {
	for i := len(h.model.scopes) - 1; i > 0; i-- {
		if s := h.model.scopes[i]; !s.ended {
			return s.id
		}
	}
	return h.model.Root()
}

// anyTask is by preference one that s could join.
func (h *history) anyTask(s ID) Token {
	all := h.model.tasks
	token := Token{h.model.run, h.model.next + 100}
	kind := h.draw(16)
	live := slices.DeleteFunc(slices.Clone(all), func(k *modelTask) bool {
		return kind > 1 && k.forgotten || kind > 3 && !(k.ticket && h.model.inside(s, k.owner))
	})
	if len(live) > 0 {
		token.Key = live[h.draw(len(live))].id
	}
	return foreign(token, kind)
}

// anyThing is a resource, by preference one of owner's.
func (h *history) anyThing(owner ID) Token {
	token := Token{h.model.run, h.model.next + 100}
	kind := h.draw(16)
	live := slices.DeleteFunc(slices.Clone(h.model.things), func(r *modelThing) bool {
		return kind > 1 && r.gone || kind > 4 && owner != 0 && r.owner != owner
	})
	if len(live) > 0 {
		token.Key = live[h.draw(len(live))].id
	}
	return foreign(token, kind)
}

func foreign(token Token, kind int) Token {
	if kind == 0 {
		token.Run++
	}
	return token
}

// seeded draws from a generator.
func seeded(seed uint64) func(int) int {
	r := rand.New(rand.NewPCG(seed, 0))
	return r.IntN
}

// fromBytes draws from bytes, and zeroes after them.
func fromBytes(data []byte) func(int) int {
	return func(n int) int {
		if len(data) == 0 {
			return 0
		}
		b := data[0]
		data = data[1:]
		return int(b) % n
	}
}
