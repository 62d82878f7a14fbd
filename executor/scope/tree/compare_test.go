package tree

import "fmt"

// compare holds the whole state of the tree against the model's.
func (h *history) compare() error {
	var got, want [3]int
	got[0], got[1], got[2] = h.under.Len()
	want[0], want[1], want[2] = h.model.Len()
	if got != want {
		return h.differ("tables", got, want)
	}
	for _, s := range h.model.scopes {
		if err := h.compareScope(s); err != nil {
			return err
		}
	}
	for _, k := range h.model.tasks {
		if err := h.compareTask(k); err != nil {
			return err
		}
	}
	for _, r := range h.model.things {
		if err := h.compareThing(r); err != nil {
			return err
		}
	}
	return nil
}

// scopeView is what there is to see of a scope.
type scopeView struct {
	task, parent, waits, nested  ID
	kind                         kind
	phase                        Phase
	supervised, closing, stopped bool
	reason, body                 Primary
	hosts                        uint32
	unsettled                    int
	cleanup, bodyCleanup         Cleanup
}

func (h *history) compareScope(s *modelScope) error {
	have := h.tree.scopes[s.id]
	if s.ended || have == nil {
		if s.ended != (have == nil) {
			return h.differ("scope", have == nil, s.ended)
		}
		return nil
	}
	got := scopeView{task: have.task, kind: have.kind, phase: have.phase, supervised: have.supervised,
		closing: have.closing, stopped: have.stopped, reason: have.reason, body: have.body.Primary,
		hosts: have.hosts, unsettled: have.unsettled, cleanup: have.cleanup, bodyCleanup: have.body.Cleanup}
	if have.parent != nil {
		got.parent = have.parent.id
	}
	if have.waits != nil {
		got.waits = have.waits.id
	}
	if have.nested != nil {
		got.nested = have.nested.id
	}
	if want := h.model.view(s); got != want {
		return h.differ(fmt.Sprintf("scope %d", s.id), got, want)
	}
	return nil
}

func (m *model) view(s *modelScope) scopeView {
	v := scopeView{task: s.task, parent: s.parent, waits: s.waits, kind: s.kind, supervised: s.supervised,
		closing: s.closing, body: s.body, hosts: s.hosts, unsettled: len(m.unsettled(s.id)),
		cleanup: packed(merge(nil, s.errs)), bodyCleanup: packed(s.bodyErrs)}
	if s.reason != nil {
		v.stopped, v.reason = true, *s.reason
	}
	for _, n := range m.scopes {
		if n.parent == s.id && n.kind == nested && !n.ended {
			v.nested = n.id
		}
	}
	if s.joining {
		v.phase = Joining
	}
	if s.releasing {
		v.phase = Releasing
	}
	return v
}

type taskView struct {
	known, ticket, settled bool
	owner, waiter          ID
	out                    Outcome
}

func (h *history) compareTask(k *modelTask) error {
	var got, want taskView
	if have := h.tree.tasks[k.id]; have != nil {
		got = taskView{known: true, ticket: have.ticket, settled: have.scope == nil, owner: have.owner.id, out: have.outcome}
		if have.waiter != nil {
			got.waiter = have.waiter.id
		}
	}
	if !k.forgotten {
		want = taskView{known: true, ticket: k.ticket, settled: k.settled, owner: k.owner, out: Outcome{k.out, packed(k.errs)}}
		for _, s := range h.model.scopes {
			if s.waits == k.id && !s.ended {
				want.waiter = s.id
			}
		}
	}
	if got != want {
		return h.differ(fmt.Sprintf("task %d", k.id), got, want)
	}
	return nil
}

type thingView struct {
	known bool
	state condition
	owner ID
	uses  int
	value any
}

func (h *history) compareThing(r *modelThing) error {
	var got, want thingView
	if have := h.tree.resources[r.id]; have != nil {
		got = thingView{true, have.state, have.owner.id, have.uses, have.value}
	}
	if !r.gone {
		want = thingView{true, admitted, r.owner, r.uses, r.value}
		if r.published {
			want.state = published
		}
		if r.claimed {
			want.state, want.value = claimed, nil // only its closer has it
		}
	}
	if got != want {
		return h.differ(fmt.Sprintf("resource %d", r.id), got, want)
	}
	return nil
}

// windUp ends, step by step and compared, everything that is left, the newest
// scopes first, and then checks that nothing is remembered.
func (h *history) windUp() error {
	for i := len(h.model.scopes) - 1; i >= 0; i-- {
		if s := h.model.scopes[i]; !s.ended {
			if err := h.windUpScope(s); err != nil {
				return err
			}
		}
	}
	if scopes, tasks, resources := h.under.Len(); scopes+tasks+resources > 0 {
		return h.differ("what is left", []int{scopes, tasks, resources}, "nothing")
	}
	return nil
}

func (h *history) windUpScope(s *modelScope) error {
	for _, c := range h.lastCalls(s) {
		if err := h.step(c); err != nil {
			return err
		}
	}
	for r := h.model.newest(s.id); r != nil; r = h.model.newest(s.id) {
		for _, op := range []string{"Newest", "ClaimClose", "FinishClose"} {
			if err := h.step(call{op: opNamed(op), s: s.id, thing: Token{h.model.run, r.id}}); err != nil {
				return err
			}
		}
	}
	return h.step(call{op: opNamed("Settle"), s: s.id})
}

// lastCalls are what is still owed before the scope's resources are closed.
func (h *history) lastCalls(s *modelScope) (calls []call) {
	owe := func(op string, thing ID, times int) {
		for range times {
			calls = append(calls, call{op: opNamed(op), s: s.id, thing: Token{h.model.run, thing}})
		}
	}
	for _, r := range h.model.things {
		switch {
		case r.owner != s.id || r.gone:
		case !r.published:
			owe("Withdraw", r.id, 1)
		case r.claimed:
			owe("FinishClose", r.id, 1)
		default:
			owe("EndUse", r.id, r.uses)
		}
	}
	owe("EndHost", 0, int(s.hosts))
	if !s.joining && !s.releasing {
		owe("BodyDone", 0, 1)
	}
	if !s.releasing {
		owe("BeginRelease", 0, 1)
	}
	return calls
}
