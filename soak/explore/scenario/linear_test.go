package scenario

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/exactlyonce/certify/queues"
)

// reference tells by all permutations whether some order explains h, whose
// batches are not atomic.
func reference(h *History) bool {
	order := make([]int, len(h.Operations))
	for i := range order {
		order[i] = i
	}
	for {
		if replays(h, order) {
			return true
		}
		if !advance(order) {
			return false
		}
	}
}

func replays(h *History, order []int) bool {
	for i, a := range order {
		for _, b := range order[i+1:] {
			if h.precedes(b, a) {
				return false
			}
		}
	}
	var items []Item
	for _, i := range order {
		o := h.Operations[i]
		end := 0
		if o.Action == Popped && h.Promises.Order == queues.OwnerLIFO {
			end = len(items) - 1
		}
		switch o.Action {
		case Pushed:
			items = append(items, o.Value)
		case Empty:
			if len(items) > 0 {
				return false
			}
		case Popped, Stolen:
			if len(items) == 0 || items[end] != o.Value {
				return false
			}
			items = slices.Delete(items, end, end+1)
		}
	}
	return slices.Equal(items, h.Left)
}

// advance makes order the next permutation.
func advance(order []int) bool {
	i := len(order) - 2
	for i >= 0 && order[i] > order[i+1] {
		i--
	}
	if i < 0 {
		return false
	}
	j := len(order) - 1
	for order[j] < order[i] {
		j--
	}
	order[i], order[j] = order[j], order[i]
	slices.Reverse(order[i+1:])
	return true
}

// random is a history that may well be legal: operations of three threads at
// random times, whose answers come from a queue that now and then errs.
func random(rng *rand.Rand, order queues.Order) *History {
	h := &History{Promises: queues.Promises{Order: order}}
	var items []Item
	now := [3]int{}
	type done struct {
		at int
		o  Operation
	}
	var all []done
	for range 1 + rng.IntN(6) {
		t := rng.IntN(3)
		from := now[t] + 1 + rng.IntN(3)
		to := from + rng.IntN(5)
		now[t] = to
		all = append(all, done{from + rng.IntN(to-from+1), Operation{Thread: t, From: from, To: to}})
	}
	slices.SortStableFunc(all, func(a, b done) int { return a.at - b.at })
	for i := range all {
		o := &all[i].o
		end := 0
		switch o.Action = Action([]int{0, 0, 2, 3}[rng.IntN(4)]); {
		case o.Action == Pushed:
			o.Value = Item(i + 1)
			items = append(items, o.Value)
			continue
		case order == queues.FIFO:
			o.Action = Popped
		case o.Action == Popped:
			end = len(items) - 1
		}
		if len(items) == 0 || rng.IntN(20) == 0 {
			o.Action = Empty
			continue
		}
		if rng.IntN(10) == 0 {
			end = rng.IntN(len(items))
		}
		o.Value = items[end]
		items = slices.Delete(items, end, end+1)
	}
	slices.SortStableFunc(all, func(a, b done) int { return a.o.Thread - b.o.Thread })
	for _, d := range all {
		h.Operations = append(h.Operations, d.o)
	}
	h.Left = items
	return h
}

// TestLinearizable: the search agrees with all permutations.
func TestLinearizable(t *testing.T) {
	check := Linearizable()
	for _, order := range []queues.Order{queues.FIFO, queues.OwnerLIFO} {
		legal := 0
		for seed := range uint64(5000) {
			h := random(rand.New(rand.NewPCG(seed, 1)), order)
			want := reference(h)
			if want {
				legal++
			}
			if got := check(h); (got == nil) != want {
				t.Fatalf("seed %d: %v, want legal %v:%v", seed, got, want, h)
			}
		}
		t.Logf("%v: %d of 5000 are legal", order, legal)
		if legal < 1000 || legal > 4900 {
			t.Errorf("vacuous: %d of 5000 are legal", legal)
		}
	}
}

// TestRelaxed: weaker promises allow what the strong ones do not, and no more.
func TestRelaxed(t *testing.T) {
	op := func(thread int, a Action, v Item, at int) Operation {
		return Operation{Thread: thread, Action: a, Value: v, From: at, To: at}
	}
	batch := func(p queues.Promises) *History {
		first, second := op(0, Popped, 1, 0), op(0, Popped, 2, 0)
		first.To, second.To, second.Also = 9, 9, true
		return &History{Promises: p, Operations: []Operation{first, second, op(1, Pushed, 1, 1), op(1, Empty, 0, 5), op(1, Pushed, 2, 7)}}
	}
	// An EMPTY while another call is under way, and after it.
	early := func(p queues.Promises, at int) *History {
		push := op(1, Pushed, 2, 2)
		push.To = 4
		return &History{Promises: p, Operations: []Operation{op(0, Pushed, 1, 1), op(0, Empty, 0, at), push}, Left: []Item{1, 2}}
	}
	tentative := queues.Promises{Order: queues.FIFO, Tentative: true}
	for i, test := range []struct {
		h     *History
		legal bool
	}{
		{early(tentative, 3), true},
		{early(tentative, 5), false},
		{early(queues.Promises{Order: queues.FIFO}, 3), false},
		{&History{Promises: queues.Promises{Order: queues.FIFO}, Operations: []Operation{op(0, Pushed, 1, 1), op(1, Pushed, 2, 2), op(2, Popped, 2, 3)}, Left: []Item{1}}, false},
		{&History{Promises: queues.Promises{Order: queues.ProducerFIFO}, Operations: []Operation{op(0, Pushed, 1, 1), op(1, Pushed, 2, 2), op(2, Popped, 2, 3)}, Left: []Item{1}}, true},
		{&History{Promises: queues.Promises{Order: queues.ProducerFIFO}, Operations: []Operation{op(0, Pushed, 1, 1), op(0, Pushed, 2, 2), op(2, Popped, 2, 3)}, Left: []Item{1}}, false},
		{&History{Promises: queues.Promises{Order: queues.Unordered}, Operations: []Operation{op(0, Pushed, 1, 1), op(0, Pushed, 2, 2), op(2, Popped, 2, 3)}, Left: []Item{1}}, true},
		{&History{Promises: queues.Promises{}, Operations: []Operation{op(0, Refused, 1, 1)}}, false},
		{&History{Promises: queues.Promises{Bounded: true}, Operations: []Operation{op(0, Refused, 1, 1)}}, true},
		{batch(queues.Promises{Order: queues.FIFO}), true},
		{batch(queues.Promises{Order: queues.FIFO, AtomicBatch: true}), false},
	} {
		if err := Linearizable()(test.h); (err == nil) != test.legal {
			t.Errorf("%d: %v, want legal %v", i, err, test.legal)
		}
	}
	for _, h := range []*History{
		{Operations: []Operation{op(0, Pushed, 1, 1)}},
		{Operations: []Operation{op(0, Popped, 1, 1)}},
		{Operations: []Operation{op(0, Pushed, 1, 1), op(0, Popped, 1, 2), op(1, Popped, 1, 3)}},
		{Operations: []Operation{op(0, Pushed, 1, 1), op(1, Lost, 0, 2)}, Left: []Item{1}},
	} {
		if h.once() == nil {
			t.Errorf("no complaint about%v", h)
		}
	}
	if err := Linearizable()(&History{Operations: make([]Operation, limit+1)}); err == nil {
		t.Error(fmt.Sprint(limit+1, " operations were judged"))
	}
}
