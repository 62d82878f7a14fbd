package queuetest

import (
	"fmt"
	"slices"

	"github.com/exactlyonce/certify/queues"
)

// model: random operations, many seeds, against a plain list.
func model(t *trial) error {
	for round := range 40 {
		script := make([]byte, 400)
		for i := range script {
			script[i] = byte(t.rng.Uint32())
		}
		for _, capacity := range capacities {
			o := queues.Options{Capacity: capacity, Start: starts[round%len(starts)]}
			if err := t.replay(o, script); err != nil {
				return fmt.Errorf("capacity %d, start %#x: %w", o.Capacity, o.Start, err)
			}
		}
	}
	return nil
}

// wrap: a fixed script that crosses every place where counters wrap, slowly
// enough that each capacity sees all its slots on both sides.
func wrap(t *trial) error {
	var script []byte
	for n := range byte(12) {
		script = append(script, opPushMany|n<<3, opLen, opTake|1<<3, opPush, opPop, opPop, opLen, opTakeMany|n<<3)
	}
	for _, capacity := range capacities {
		for _, start := range starts {
			for before := range uint64(8) {
				o := queues.Options{Capacity: capacity, Start: start - before}
				if err := t.replay(o, script); err != nil {
					return fmt.Errorf("capacity %d, start %#x: %w", o.Capacity, o.Start, err)
				}
			}
		}
	}
	return nil
}

// The operations of a script: the low three bits of a byte; the others are a
// number.
const (
	opPush byte = iota
	opPushMany
	opPop
	opPopMany
	opTake // PopInto or Steal
	opTakeMany
	opLen
	opDrain
)

// player plays a script on a queue and on a list.
type player struct {
	*trial
	subject
	list   []*Item // oldest first
	serial int
	l      *ledger
}

// replay plays a script on a fresh queue and drains it.
func (t *trial) replay(o queues.Options, script []byte) error {
	p := &player{trial: t, subject: t.open(o), l: new(ledger)}
	for i, b := range script {
		if err := p.step(b&7, int(b>>3)); err != nil {
			return fmt.Errorf("operation %d of script %x: %w", i, script[:i+1], err)
		}
	}
	if err := p.step(opDrain, 0); err != nil {
		return fmt.Errorf("at the end of script %x: %w", script, err)
	}
	return nil
}

func (p *player) step(op byte, n int) error {
	switch op {
	case opPush:
		return p.push(1)
	case opPushMany:
		return p.push(2 * n)
	case opPop:
		return p.pop(1)
	case opPopMany:
		return p.pop(n)
	case opTake:
		return p.take(1)
	case opTakeMany:
		return p.take(n)
	case opDrain:
		return p.pop(len(p.list) + 1)
	}
	if got := p.Len(); got != len(p.list) {
		return fmt.Errorf("Len = %d, want %d", got, len(p.list))
	}
	return nil
}

func (p *player) push(n int) error {
	vs := make([]*Item, n)
	for i := range vs {
		vs[i] = &Item{Serial: p.serial, ledger: p.l}
		p.serial++
	}
	accepted := 0
	if n != 1 {
		accepted = p.pushMany(vs)
	} else if p.subject.Push(vs[0]) {
		accepted = 1
	}
	p.list = append(p.list, vs[:accepted]...)
	if accepted < n && !p.mayRefuse(p.subject, len(p.list)) {
		return fmt.Errorf("%d of %d items were accepted on top of %d", accepted, n, len(p.list)-accepted)
	}
	return nil
}

func (p *player) pop(n int) error {
	for range n {
		v, ok := p.Pop()
		if ok != (len(p.list) > 0) {
			return fmt.Errorf("Pop of %d items returned %v", len(p.list), ok)
		}
		if !ok {
			continue
		}
		if err := p.strike(v, p.injector != nil); err != nil {
			return fmt.Errorf("Pop: %w", err)
		}
	}
	return nil
}

func (p *player) take(room int) error {
	dst := make([]*Item, room)
	n, err := p.remove(dst)
	if err != nil {
		return err
	}
	if n < 0 || n > min(room, len(p.list)) || n == 0 && room > 0 && len(p.list) > 0 {
		return fmt.Errorf("a batch with room for %d, of %d items, has %d", room, len(p.list), n)
	}
	for _, v := range dst[:n] {
		if err := p.strike(v, true); err != nil {
			return fmt.Errorf("batch of %d: %w", n, err)
		}
	}
	return nil
}

// strike takes v off the list: the oldest or the newest, or any if the back end
// promises no order.
func (p *player) strike(v *Item, oldest bool) error {
	want := len(p.list) - 1
	if oldest {
		want = 0
	}
	got := want
	if len(p.list) == 0 || p.list[want] != v { // looked for only when it is not where it belongs
		got = slices.Index(p.list, v)
	}
	if got < 0 {
		return fmt.Errorf("got %+v, which is not in the queue", v)
	}
	if got != want && p.backend.Promises.Order != queues.Unordered {
		return fmt.Errorf("got item %d, want item %d", v.Serial, p.list[want].Serial)
	}
	if got == 0 {
		p.list = p.list[1:] // a script may be long, and moving the rest each time takes a minute
		return nil
	}
	p.list = slices.Delete(p.list, got, got+1)
	return nil
}
