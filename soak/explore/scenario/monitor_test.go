package scenario

import (
	"math/rand/v2"
	"testing"

	"github.com/exactlyonce/certify/queues"
	"github.com/exactlyonce/certify/soak/monitor"
)

// rows is a history as package monitor has it, drained at the end.
func rows(h *History) (all []monitor.Op) {
	kinds := map[Action]monitor.Kind{Pushed: monitor.Push, Popped: monitor.Pop, Stolen: monitor.Steal, Empty: monitor.Pop}
	end := int64(0)
	for _, o := range h.Operations {
		op := monitor.Op{Begin: int64(o.From), End: int64(o.To), Value: uint32(o.Value), Worker: uint16(o.Thread), Kind: kinds[o.Action]}
		if o.Action == Empty {
			op.Answer = monitor.Empty
			if h.Promises.Order == queues.OwnerLIFO && o.Thread > 0 {
				op.Kind = monitor.Steal
			}
		}
		all = append(all, op)
		end = max(end, op.End)
	}
	for i := range h.Left {
		v, kind := h.Left[i], monitor.Pop
		if h.Promises.Order == queues.OwnerLIFO {
			v = h.Left[len(h.Left)-1-i]
		}
		end += 2
		all = append(all, monitor.Op{Begin: end, End: end + 1, Value: uint32(v), Kind: kind})
	}
	return all
}

// owned makes the first thread the only one that pushes and pops, as a deque
// has it; the others steal.
func owned(h *History) bool {
	for _, o := range h.Operations {
		if o.Thread > 0 && o.Action != Stolen && o.Action != Empty || o.Thread == 0 && o.Action == Stolen {
			return false
		}
	}
	return true
}

// TestMonitorsAgree: two checkers that have nothing in common come to the same
// judgement, this package's search and package monitor's patterns.
func TestMonitorsAgree(t *testing.T) {
	check := Linearizable()
	for _, test := range []struct {
		order   queues.Order
		monitor monitor.Criterion
	}{{queues.FIFO, monitor.FIFO}, {queues.OwnerLIFO, monitor.Deque}} {
		judged, illegal := 0, 0
		for seed := range uint64(60_000) {
			h := random(rand.New(rand.NewPCG(seed, 2)), test.order)
			if test.order == queues.OwnerLIFO && !owned(h) {
				continue
			}
			judged++
			got, want := check(h), test.monitor.Check(rows(h), monitor.Options{Drained: true})
			if (got == nil) != (want == nil) {
				t.Fatalf("seed %d: %v, the monitor: %v:%v", seed, got, want, h)
			}
			if got != nil {
				illegal++
			}
		}
		t.Logf("%v: %d histories, %d of them illegal", test.order, judged, illegal)
		if judged < 500 || illegal < 20 {
			t.Error("vacuous")
		}
	}
}
