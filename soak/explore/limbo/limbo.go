package limbo

import (
	"github.com/exactlyonce/certify/queues/epoch"
	"github.com/exactlyonce/certify/soak/explore/atomic"
)

// Reclaimer is what is explored. A package of them exports
//
//	func Reclaimers() []limbo.Reclaimer
type Reclaimer struct {
	Name, About string
	// New makes a domain that tries to reclaim at each Retire and keeps little: what
	// it does in a year must happen in a few operations.
	New func(Options) Domain
}

// Options are what a domain is made with.
type Options struct {
	Start uint64 // the first epoch; they are counted modulo 2^63
	// Reclaim makes a node fit for reuse: it is called with each, before Alloc may
	// return it, in its place in the order of things.
	Reclaim func(*Node)
	// Discard is called with a node that leaves limbo early and is never given out,
	// because there are too many.
	Discard func(*Node)
}

// Domain is a reclaimer at work.
type Domain interface {
	// Home returns a place to pin at, one for each caller.
	Home() Home
}

// Home is where a thread pins. Pins nest.
type Home interface{ Pin() Guard }

// Guard is a pin. It is used by the thread that made it, and ended once.
type Guard interface {
	Retire(*Node) // one that was unlinked before
	Alloc() *Node // one that was reclaimed, or nil
	Unpin()
}

// Node is what programs link, retire, and get back. A reclaimer does not look
// inside, but for Next, which is free while it has the node.
type Node struct {
	Next *Node
	Tag  uint64 // likewise

	number int
	state  state

	// poison is how often the node was reclaimed: gen, for who looks at it as a step.
	poison atomic.Int64
	gen    int64
}

// state is whose a node is.
type state uint8

const (
	owned     state = iota // a thread's that will link it, or has got it
	linked                 // everybody's
	retired                // the reclaimer's, in limbo
	reclaimed              // the reclaimer's, to be given out
	discarded              // the garbage collector's
)

func (s state) String() string {
	return [...]string{"not linked", "linked", "in limbo", "reclaimed", "discarded"}[s]
}

// Epochs is the reclaimer of package epoch.
func Epochs() Reclaimer {
	return Reclaimer{Name: "epoch", About: "package queues/epoch", New: func(o Options) Domain {
		return epochs{epoch.New(epoch.Config[Node]{
			Interval: 1, Limbo: 4, Cache: 2, Depot: 1, Start: o.Start, Discard: o.Discard,
			Reclaim: func(n *Node) bool { o.Reclaim(n); return true },
		})}
	}}
}

type epochs struct{ *epoch.Domain[Node] }

func (d epochs) Home() Home { return epochHome{d.Domain.Home()} }

type epochHome struct{ epoch.Home[Node] }

func (h epochHome) Pin() Guard { return h.Home.Pin() }
