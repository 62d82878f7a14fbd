package flawed

import (
	"github.com/exactlyonce/certify/reports/record"
	"github.com/exactlyonce/certify/soak/explore/limbo"
)

// Reclaimer is one with one fault. All take a schedule that a soak hardly ever meets,
// or do no harm that a garbage collector does not undo: exploration finds them.
type Reclaimer struct {
	limbo.Reclaimer
	Fault string
	// Killers are the reasons for which it may be caught.
	Killers []record.Reason
}

// Epochs is the reclaimer without a fault.
func Epochs() limbo.Reclaimer {
	return limbo.Reclaimer{
		Name: "epochs", About: "the epochs of Fraser, of three at a time",
		New: func(o limbo.Options) limbo.Domain { return newEpochs(o) },
	}
}

// FaultyReclaimers are the reclaimers that must be caught.
func FaultyReclaimers() (all []Reclaimer) {
	add := func(name, fault string, spoil func(*epochs), killers ...record.Reason) {
		all = append(all, Reclaimer{Reclaimer: limbo.Reclaimer{
			Name: name, About: "faulty: " + fault,
			New: func(o limbo.Options) limbo.Domain {
				d := newEpochs(o)
				spoil(d)
				return d
			},
		}, Fault: fault, Killers: killers})
	}
	const dup, contract, memory = record.Duplicated, record.Contract, record.Memory
	add("one-epoch", "a node is given out again after one epoch", oneEpoch, contract)
	add("first-place", "the epoch moves on when the first place agrees", firstPlace, contract)
	add("hurried", "the epoch moves on without regard to who is pinned", hurried, contract)
	add("blind-move", "the epoch is moved by an addition, so that two who found the same move it twice", blindMove, contract)
	add("shared-pin", "a pin inside of another one has its place, and its end is the end of both", sharedPin, contract)
	add("early-tag", "a node that was unlinked gets the epoch of the pin", earlyTag, contract)
	add("wrapped", "epochs are compared without regard to their wrap", wrapped, contract, memory)
	add("leaky", "nothing ever leaves limbo", leaky, memory)
	add("twice", "a node that is given out is kept as well", twice, dup, contract)
	return all
}

// Reclaimers are all of them, the control first, in the form in which a package of
// reclaimers exports them.
func Reclaimers() []limbo.Reclaimer {
	all := []limbo.Reclaimer{Epochs()}
	for _, r := range FaultyReclaimers() {
		all = append(all, r.Reclaimer)
	}
	return all
}

// oneEpoch: who pinned before the advance that was under way may hold the node.
func oneEpoch(d *epochs) {
	d.rested = func(now, tag uint64) bool { return now-tag >= epochStep }
}

func firstPlace(d *epochs) {
	d.agreed = func(now uint64) bool { return agree(d.places[:1], now) }
}

func hurried(d *epochs) {
	d.agreed = func(uint64) bool { return true }
}

func blindMove(d *epochs) {
	d.move = func(uint64) { d.now.Add(epochStep) }
}

// sharedPin: pins are not counted.
func sharedPin(d *epochs) {
	d.start = func(h *home) *place {
		p := &d.places[h.first]
		p.shows.CompareAndSwap(0, d.now.Load()|1)
		return p
	}
}

// earlyTag: the epoch may have moved on since, and readers have pinned there before
// the node was unlinked.
func earlyTag(d *epochs) {
	d.tag = func(p *place) uint64 { return p.shows.Load() &^ 1 }
}

func wrapped(d *epochs) {
	d.rested = func(now, tag uint64) bool { return tag+2*epochStep <= now }
}

func leaky(d *epochs) {
	d.rested = func(uint64, uint64) bool { return false }
}

func twice(d *epochs) {
	d.give = func(p *place) *limbo.Node {
		if len(p.free) == 0 {
			return nil
		}
		return p.free[len(p.free)-1]
	}
}
