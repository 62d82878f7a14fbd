// Package bench is the benchmarks: what is measured, as data, and the loops
// that measure it. `go test -bench . ./bench` and the command run the very same
// ones.
//
// A [Case] is one benchmark with a name in the Go benchmark syntax, such as
// Pair/queue=chaselev/p=1/c=1. Opened, it is an [Arm], whose Run does a number
// of operations, checks that what came out is what went in, and says how long
// it took. [Cases] has all of ours:
//
//	Pair    p producers push, c consumers pop          an op is an item
//	Burst   the same, each burst drained first         an item
//	Solo    each goroutine pops what it pushes         an item pushed and popped
//	Own     the owner of a deque, alone                an item pushed and popped
//	Share   the owner pushes and pops, thieves steal   an item
//	Feed    the owner pushes, thieves alone steal      an item
//
//	Submit PingPong Mixed    tasks from outside                  an op is a task
//	Spawn FanOut Chain       tasks from inside a task            a task
//	Fib Queens Tree Sort     fork and join, no cut-off           the whole problem
//	Latency                  an open loop of arrivals            a task
//	Memory Idle              what waiting tasks, and none, cost  a batch, a while
//
// Queues run over the catalog, and pools over our executor; [QueueCases] and
// [PoolCases] do it for others. In the same loops run the rows that give the
// numbers a scale: queue=null, which hands items out without moving any, and
// pool=inline, which runs tasks where they are given, so that their time is the
// loop's own; queue=chan; pool=chan, workers on a channel; and pool=goroutine.
//
// How noise is kept out: goroutines and pools are made when a case is opened.
// They meet at a barrier before the clock runs, and each reads the clock when
// it is done; the last counts. Items are made before and hold a mark that the
// taker sums up. The loops hold nothing else but the operations.
//
// Who finds nothing, or no room, tries at once a few more times and then lets
// others run (runtime.Gosched) after each miss. So a consumer does not hold the
// processor that its producer needs, and nobody sleeps. How often it happened
// is reported: with many misses an op, a case has measured the other side.
//
// Not here: the order in which arms are run and compared, and how results are
// kept; that is the command's.
package bench
