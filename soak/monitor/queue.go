package monitor

// Criterion is a way to judge a history.
type Criterion struct {
	Name  string
	rules criterion
}

// FIFO is first in, first out. Exact for calls with one value and no bound. Of
// batches it checks that their values are in order, and with AtomicBatch that
// none is missing between two. Of bounds it checks that there is room at each
// moment, not that one order of the pushes has room at all moments.
var FIFO = Criterion{"FIFO", fifoRules}

// ProducerFIFO is first in, first out among the values of each producer. Exact for
// calls with one value and no bound; it does not use AtomicBatch.
var ProducerFIFO = Criterion{"per-producer FIFO", producerRules}

// Bag is any order. Exact and not, as ProducerFIFO.
var Bag = Criterion{"bag", bagRules}

// Deque is the deque of one owner, who pushes and pops, newest first, and of
// thieves, who take the oldest. All rows of kind Push and Pop are of one worker.
// Exact, also for batches, unless some call had not returned.
var Deque = Criterion{"owner-LIFO", dequeRules}

// Check returns nil if the history h is legal, as far as c tells, and else what
// is wrong. It reads h only, and allocates some 100 bytes a row.
func (c Criterion) Check(h []Op, o Options) *Violation { return c.rules.check(h, o) }

// Rules lists the rules of c, with those that o leaves out.
func (c Criterion) Rules(o Options) []Rule { return c.rules.rules(o) }
