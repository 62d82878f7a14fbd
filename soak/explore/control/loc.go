package control

// Loc is the identity of one location in shared memory. The zero value is
// ready. It lies in the shim, beside the value.
type Loc struct {
	run uint32 // the execution that gave the number; 0 when none
	id  int32
}

// Kind is what an operation may do to its location.
type Kind uint8

const (
	KindRead   Kind = iota // never writes
	KindWrite              // always writes
	KindUpdate             // writes or not, which shows afterwards: a CAS
)

// Gate is a location at which threads wait. Each bit of shut bars those
// operations that need the bit; the zero value lets all through.
type Gate struct {
	Loc
	shut uint8
	by   int32 // 1 + the event that opened it for good, or 0
}

// Shut bars the operations that need one of the bits, Open lets them through.
// The caller's event at the gate is committed, or no thread is running.
func (g *Gate) Shut(bits uint8) { g.shut |= bits }

// Open undoes Shut.
func (g *Gate) Open(bits uint8) { g.shut &^= bits }

// IsShut tells whether an operation that needs bits has to wait.
func (g *Gate) IsShut(bits uint8) bool { return g.shut&bits != 0 }

// Event is one step of an execution.
type Event struct {
	Thread int32 // who
	Loc    int32 // where
	Index  int32 // which event of that thread, from 1
	Prev   int32 // the event before this one at the same location, or -1
	After  int32 // an event that made this one possible, or -1: a spawn, a signal
	Wrote  bool
	Needs  uint8 // the gate's bits that had to be open
	Shut   uint8 // the gate's bits that were shut before the event
}

// Set is a set of threads, by number.
type Set uint64

// MaxThreads is how many threads an execution can have.
const MaxThreads = 64

// Has tells whether thread i is in s.
func (s Set) Has(i int) bool { return s>>uint(i)&1 != 0 }

// One is the set of thread i.
func One(i int) Set { return 1 << uint(i) }
