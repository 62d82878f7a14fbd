// Package peers puts our executor beside the pools that others have made. It is a
// module of its own, so that nobody who uses ours depends on theirs.
//
// All do the same works, given as tasks of one and the same body, at the same number
// of workers. A task is made once and given many times, so that no closure a task is
// part of the figures. The end of a batch is seen by the pool's own wait where it has
// one, else by a sync.WaitGroup that is told of the whole batch before: what [entries]
// says of each. Where the form that a peer's own documentation recommends is another
// one, it is an arm of its own beside the like-for-like one.
//
// [Cases] are benchmarks as those of package bench, to be measured in sittings of
// package sitting; an op is a task but where said:
//
//	Submit/submitters=1,2  empty tasks from outside
//	Inside                 empty tasks from inside a task
//	Million, TenMillion    so many empty tasks from outside at once  an op is all of them
//	Fib                    fork and join without cut-off             the whole problem
//	Chain                  tasks of which each gives the next
//	Busy/workers=1,2       tasks of 10 us
//	Latency                from the submit to the run, on an idle pool
//	Queued                 what tasks take that wait                 a backlog
//	Idle                   what a pool takes that has nothing to do  a while
//	Own, Solo, Pair        queues beside native ones                 an item in and out
//
// Programs in other languages run as child processes that wait for orders: see
// [Natives]. So they are windows of the same sittings, in the same shuffled order.
//
// What is no peer's fault and not measured: pools that block a submitter inside a task
// while all workers are busy cannot run a tree of tasks, nor hold a backlog. They have
// no such arms.
package peers
