// Package certify is the root of a benchmark and stress-certification suite
// for task executors and concurrent queues. It holds no code; start with
// README.md, then with the package that answers your question:
//
//	queues           what an injector, a deque and a back end are
//	queues/epoch     how memory is used again without a lock
//	queues/msqueue   the Michael-Scott injector
//	queues/sharded   the injector of lists under locks of their own
//	queues/segment   the injector of segments with tickets
//	queues/scq       the bounded ring of Nikolaev
//	queues/chunk     a list for one at a time, as a lock guards it
//	queues/chaselev  the Chase-Lev deque
//	queues/claim     the deque with both ends in one word
//	queues/split     a deque with a part that only its owner sees; not in the list
//	queues/mutex     the baseline of both
//	queues/catalog   the list of back ends
//	queues/queuetest the laws that every back end must keep
//	executor         the work-stealing executor that runs on them
//	executor/lifecycle  the state word of a task
//	executor/poll    futures and wakers: tasks that wait without a worker
//	executor/scope   trees of tasks that nothing outlives
//	executor/scope/tree  their state machine
//	executor/jobs    named jobs, and their stores
//	executor/jobs/filestore  the one that survives a kill
//	executor/jobs/gate  only the newest revision publishes
//	bench            shapes and loops of the benchmarks
//	bench/sitting    their measurement, arms interleaved
//	soak             drills: stress workloads with a law that each checks
//	soak/explore     all schedules of a small program, one after the other
//	soak/explore/control  what runs one at a time, and stops before each access
//	soak/explore/atomic, sync, runtime  stand in for the packages of these names
//	soak/explore/rewrite  puts them into sources that do not know of them
//	soak/explore/scenario  all small programs of a queue
//	soak/explore/limbo     all small programs of a reclaimer
//	soak/explore/protocol  parking, lifecycle and gate, as small programs
//	soak/explore/trial     one small program, explored and shrunk
//	soak/explore/driver    the main function of an explorer
//	soak/explore/survey    explores packages of queues as they are
//	soak/monitor     whether a history can be explained
//	soak/monitor/picture  a small one, drawn
//	soak/faulty      known-bad subjects, which must be caught
//	soak/faulty/flawed  queues with one fault each
//	soak/campaign    repetitions of a drill, in processes of their own
//	soak/child       one such process, supervised
//	soak/guard       memory of a process tree and of the host
//	soak/machine     what machine and what build it was
//	reports          what a run shows, in sections
//	reports/html     the sections as one page
//	reports/document the same as one JSON document, with a schema
//	reports/measured sections of files of benchmarks
//	reports/record   one result
//	reports/chart    a chart as SVG or PNG
//	reports/compare  two sets of benchmark results, as benchstat compares them
//	reports/certificate  what a run proves, and how to recheck it
//	reports/merge    the shards of a run, joined
//	reports/blob     a shard in one file
//	reports/history  what runs of many commits measured, and where it changed
//	reports/trend    whether a series grows
//	reports/rundir   the directory of a run
//	cmd/certify      the command
//	hardening        what went wrong for others, and what shows that it does not here
//	hardening/faults kills, full disks and hostile children, for the command
//	hardening/load   a billion tasks in one process, with failures and stops
//	hardening/recorded what came of these, and how it is written
//	internal/mishap  what befalls files, for tests: kill -9, a full disk
//	internal/stress  what tests of concurrent code have in common
//
// Imports point down this way only: cmd, soak, executor, back ends, queues;
// tree_test.go holds the whole policy.
package certify
