package limbo

import (
	"fmt"
	"maps"
	"strings"

	"github.com/exactlyonce/certify/soak/explore"
	"github.com/exactlyonce/certify/soak/explore/atomic"
	"github.com/exactlyonce/certify/soak/explore/trial"
)

// The rounds of a pin, a retire and an unpin that go before the threads: in the
// first home enough to fill what a domain keeps, in the others one, so that the next
// retire there finds something to reclaim. Each ends an epoch.
const (
	roundsFirst  = 5
	roundsOthers = 1
)

// lastEpoch is the one before the counter wraps.
const lastEpoch = 1<<63 - 1

// play is a program on a reclaimer, as a program to explore. It is made again for
// each execution, but for what it counts.
type play struct {
	Program
	reclaimer Reclaimer
	counts    map[string]int
	*run
}

// run is an execution.
type run struct {
	link    atomic.Pointer[Node]
	homes   []Home
	nodes   []*Node
	pinned  []int // of each thread, how many pins
	faults  []error
	started bool
	met     map[string]bool
}

func newPlay(p Program, r Reclaimer) *play {
	return &play{Program: p, reclaimer: r, counts: map[string]int{}}
}

func (p *play) Threads() int { return len(p.Words) }

// Smaller are the programs with a little less.
func (p *play) Smaller() (all []trial.Program) {
	for _, s := range p.smaller() {
		all = append(all, newPlay(s, p.reclaimer))
	}
	return all
}

// Counts are of all executions, those that were made again included.
func (p *play) Counts() map[string]int { return maps.Clone(p.counts) }

// Body runs once per execution.
func (p *play) Body(t *explore.T) {
	p.run = &run{pinned: make([]int, len(p.Words)), met: map[string]bool{}}
	homes := len(p.Words)
	if p.Shared {
		homes = 1
	}
	o := Options{Reclaim: p.reclaim, Discard: p.discard}
	if p.Wrap { // the threads' first new epoch is 0
		o.Start = lastEpoch - roundsFirst - uint64(homes-1)*roundsOthers
	}
	d := p.reclaimer.New(o)
	for range homes {
		p.homes = append(p.homes, d.Home())
	}
	t.Name("domain", d)
	t.Name("link", &p.link)
	for i, h := range p.homes {
		for range map[bool]int{true: roundsFirst, false: roundsOthers}[i == 0] {
			p.round(h, 1)
		}
	}
	p.swap(p.fresh())
	p.started = true
	for i, word := range p.Words {
		t.Go(func() { p.thread(i, word) })
	}
	t.Check(p.judge)
}

// fresh is a node that never was anywhere.
func (p *play) fresh() *Node {
	n := &Node{number: len(p.nodes) + 1}
	p.nodes = append(p.nodes, n)
	return n
}

// swap links n and returns what was linked, which nobody finds any more.
func (p *play) swap(n *Node) (old *Node) {
	n.state = linked
	return p.link.Swap(n)
}

// held is a node that a thread has loaded, and how often it had been reclaimed.
type held struct {
	node *Node
	gen  int64
}

// thread does a word.
func (p *play) thread(i int, word string) {
	home := p.homes[i%len(p.homes)]
	var guards []Guard
	var holds [][]held // of each pin
	var got *Node
	for _, op := range word {
		last := len(guards) - 1
		switch op {
		case pin:
			explore.Call("pin", func() { guards = append(guards, home.Pin()) })
			holds = append(holds, nil)
			p.pinned[i]++
		case read:
			explore.Call("read", func() {
				n := p.link.Load()
				holds[last] = append(holds[last], held{n, n.gen})
			})
		case alloc:
			explore.Call("alloc", func() { got = p.alloc(guards[last], got) })
		case unlink:
			explore.Call("unlink and retire", func() {
				if got == nil {
					got = p.fresh()
				}
				old := p.swap(got)
				got = nil
				p.retire(guards[last], old)
			})
		case unpin:
			explore.Call("use, unpin", func() {
				p.use(holds[last])
				p.pinned[i]--
				guards[last].Unpin()
			})
			guards, holds = guards[:last], holds[:last]
		}
	}
}

// use looks once more at what was held all the time.
func (p *play) use(all []held) {
	for _, h := range all {
		if h.node.poison.Load() != h.gen {
			p.fault("node %d was used after it had been reclaimed: who pinned before it was unlinked held it", h.node.number)
		}
	}
}

func (p *play) retire(g Guard, n *Node) {
	n.state = retired
	g.Retire(n)
}

// alloc returns what g gives out, or else what the caller has already.
func (p *play) alloc(g Guard, got *Node) *Node {
	n := g.Alloc()
	switch {
	case n == nil:
		return got
	case n.state == retired:
		p.fault("node %d was given out and had not been reclaimed", n.number)
	case n.state != reclaimed:
		p.fault("node %d was given out once too often: it is %v", n.number, n.state)
	}
	n.state = owned
	p.meet("reused")
	return n
}

// reclaim is the domain's hook: the node's memory is poison to whoever holds it.
func (p *play) reclaim(n *Node) {
	n.poison.Add(1)
	n.gen++
	if n.state != retired {
		p.fault("node %d was reclaimed and is %v", n.number, n.state)
	}
	n.state = reclaimed
	p.meet("reclaimed")
	if p.others() {
		p.meet("reclaimed-under-a-pin")
	}
}

func (p *play) discard(n *Node) {
	if n.state != retired {
		p.fault("node %d was discarded and is %v", n.number, n.state)
	}
	n.state = discarded
	p.meet("discarded")
}

// others tells whether two threads are pinned, of which one is the caller.
func (p *play) others() bool {
	n := 0
	for _, pins := range p.pinned {
		n += min(pins, 1)
	}
	return n > 1
}

func (p *play) meet(what string) {
	if p.started {
		p.met[what] = true
	}
}

func (p *play) fault(format string, args ...any) {
	p.faults = append(p.faults, fmt.Errorf(format, args...))
}

// round retires one node each in so many nested pins, which take all places that
// there are.
func (p *play) round(h Home, pins int) {
	var guards []Guard
	for range pins {
		guards = append(guards, h.Pin())
	}
	for _, g := range guards {
		p.retire(g, p.fresh())
	}
	for _, g := range guards {
		g.Unpin()
	}
}

// drainRounds are more than any domain needs to let go of what was retired.
const drainRounds = 6

// judge looks at what the execution did, and then retires until all must be out of
// limbo that was in it.
func (p *play) judge() error {
	for what := range p.met {
		p.counts[what]++
	}
	p.started = false
	all := len(p.nodes)
	places := p.places()
	for range drainRounds {
		for _, h := range p.homes {
			p.round(h, places)
		}
	}
	for _, n := range p.nodes[:all] {
		if n.state == retired {
			p.fault("node %d was never reclaimed, though nobody is pinned and %d more were retired", n.number, len(p.nodes)-all)
			break
		}
	}
	if len(p.faults) > 0 {
		return p.faults[0]
	}
	return nil
}

// places are how many its pins have had at a time, at most.
func (p *play) places() int {
	n := 0
	for _, word := range p.Words {
		n += depth(word)
	}
	if !p.Shared && n == len(p.Words) {
		return 1 // each thread had its own
	}
	return n
}

// depth is how many pins a word has in each other.
func depth(word string) (most int) {
	open := 0
	for _, op := range word {
		switch op {
		case pin:
			open++
		case unpin:
			open--
		}
		most = max(most, open)
	}
	return most
}

// explored are the programs of a size on a reclaimer, or the one of that text.
func explored(text string, s Size, r Reclaimer) (all []trial.Program, err error) {
	programs := Programs(s)
	if text != "" {
		p, err := Parse(strings.TrimSpace(text))
		if err != nil {
			return nil, err
		}
		programs = []Program{p}
	}
	for _, p := range programs {
		all = append(all, newPlay(p, r))
	}
	return all, nil
}
