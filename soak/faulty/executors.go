package faulty

import (
	"sync/atomic"

	"github.com/exactlyonce/certify/reports/record"
	"github.com/exactlyonce/certify/soak"
)

// executors are crews with one fault each, the drill that must find it, and for
// what reason. Some show in more than one way, one of them being a data race.
var executors = []struct {
	name, fault string
	drill       string
	faults      crewFaults
	killers     []record.Reason
}{
	{"lost-wake", "loses a wake during the poll", "wake-storm", crewFaults{loseWake: true}, []record.Reason{record.Stall}},
	{"double-poll", "polls twice at once", "wake-storm", crewFaults{doubleWake: true}, []record.Reason{record.Duplicated, record.Contract, record.Stall, record.Race}},
	{"end-undoes-cancel", "lets the end undo a cancel", "cancel-race", crewFaults{finishUndoesCancel: true}, []record.Reason{record.Contract}},
	{"runs-cancelled", "runs what was cancelled", "cancel-race", crewFaults{runCancelled: true}, []record.Reason{record.Contract}},
	{"two-cancels", "tells two that they cancelled", "cancel-race", crewFaults{bothTold: true}, []record.Reason{record.Contract}},
	{"lost-cause", "loses the cause", "cancel-race", crewFaults{causeLost: true}, []record.Reason{record.Contract}},
	{"early-end", "resolves under the body", "cancel-race", crewFaults{resolveEarly: true}, []record.Reason{record.Contract, record.Race}},
	{"panic-takes-worker", "loses a worker to a panic", "panic", crewFaults{panicTakesWorker: true}, []record.Reason{record.Stall}},
	{"goexit-takes-worker", "loses a worker to Goexit", "goexit", crewFaults{panicTakesWorker: true}, []record.Reason{record.Stall}},
	{"silent-panic", "swallows a panic", "panic", crewFaults{swallowPanic: true}, []record.Reason{record.Contract}},
	{"drops-at-close", "drops at close", "shutdown-race", crewFaults{dropAtClose: true}, []record.Reason{record.Lost}},
	{"runs-refused", "runs what it refused", "shutdown-race", crewFaults{runRefused: true}, []record.Reason{record.Duplicated, record.Race}},
	{"wait-holds-worker", "holds the worker that waits", "nested-wait", crewFaults{waitHolds: true}, []record.Reason{record.Stall}},
	{"waiter-runs-any", "runs anything while it waits", "lock-across-wait", crewFaults{waiterRunsAny: true}, []record.Reason{record.Stall}},
	{"accepts-ended", "accepts with an ended context", "saturation", crewFaults{acceptEnded: true}, []record.Reason{record.Contract}},
	{"drops-when-full", "drops spawns when full", "saturation", crewFaults{dropWhenFull: true}, []record.Reason{record.Lost}},
	{"unchained-wake", "wakes nobody for the first task", "burst-and-idle", crewFaults{loseSignal: true}, []record.Reason{record.Stall}},
	{"busy-wait", "never sleeps", "burst-and-idle", crewFaults{busyWait: true}, []record.Reason{record.Stall, record.Contract}},
	{"leaves-goroutine", "leaves a goroutine", "churn", crewFaults{leakGoroutine: true}, []record.Reason{record.Leak}},
	{"leaves-memory", "leaves memory", "churn", crewFaults{leakMemory: true}, []record.Reason{record.Memory}},
	{"gauge-out-of-range", "shows a gauge out of range", "panic", crewFaults{gauge: 2}, []record.Reason{record.Contract}},
	{"unbalanced", "has counters that do not add up", "saturation", crewFaults{unbalanced: true}, []record.Reason{record.Contract}},
	{"dropped-permit", "keeps the room of a task that was cancelled", "cancel-race", crewFaults{dropPermit: true}, []record.Reason{record.Stall}},
	{"goexit-not-counted", "does not count a task that called Goexit", "goexit", crewFaults{goexitCounts: true}, []record.Reason{record.Stall}},
	{"sleeps-at-close", "leaves a worker asleep when it is closed", "panic", crewFaults{sleepAtClose: true}, []record.Reason{record.Stall}},
	{"miscounts-sleepers", "takes who was woken by a look at it for asleep", "burst-and-idle", crewFaults{looksWake: true}, []record.Reason{record.Contract, record.Stall}},
	{"looks-then-sleeps", "looks for work and sleeps in two steps", "burst-and-idle", crewFaults{lateSleep: true}, []record.Reason{record.Stall}},
	{"latched-search", "takes who panicked for searching, and wakes nobody meanwhile", "panic", crewFaults{latchSearch: true}, []record.Reason{record.Stall}},
	{"drifting-count", "counts its workers in 7 bits, and each replacement twice", "goexit", crewFaults{retireDrift: true}, []record.Reason{record.Stall}},
	{"one-worker-short", "has one worker less than it was asked for", "churn", crewFaults{oneShort: true}, []record.Reason{record.Stall}},
	{"restarts-empty", "starts no workers when it is made again", "churn", crewFaults{restartsEmpty: true}, []record.Reason{record.Stall}},
	{"close-tells-one", "tells one of those who wait for room that it has closed", "shutdown-race", crewFaults{closeTellsOne: true}, []record.Reason{record.Stall}},
	{"looks-then-accepts", "looks whether it has closed and accepts in two steps", "shutdown-race", crewFaults{checkThenSend: true}, []record.Reason{record.Stall}},
	{"touches-closed", "uses what Close has taken away", "shutdown-race", crewFaults{touchClosed: true}, []record.Reason{record.Contract}},
	{"drops-the-rest", "drops what was behind a task that panicked", "panic", crewFaults{dropRest: true}, []record.Reason{record.Stall}},
	{"keeps-waiters", "keeps whoever gave up, before or while it waited for room", "saturation", crewFaults{keepWaiters: true}, []record.Reason{record.Memory}},
	{"keeps-tasks", "keeps every task for ever", "panic", crewFaults{keepTasks: true}, []record.Reason{record.Memory}},
}

// Crew is the executor without a fault.
func Crew() soak.Executor { return crewOf("crew", "a plain executor, under one lock", crewFaults{}) }

func crewOf(name, about string, f crewFaults) soak.Executor {
	made := new(atomic.Int32)
	return soak.Executor{Name: name, About: about, New: func(o soak.Options) (soak.Subject, error) {
		f := f
		f.noWorkers = f.restartsEmpty && made.Add(1) > 5 // whoever looks at its shape makes one too
		return newCrew(o, f), nil
	}}
}

// tasksOf is how many tasks or rounds a crew is given in a drill: a crew is slow,
// and a fault shows in few.
func tasksOf(drill string) int {
	if drill == "churn" {
		return 600
	}
	d, err := soak.FindDrill(drill)
	if err != nil {
		return 0 // there is a test that there is none such
	}
	return d.Tasks / 50
}

// Executors are the executors that must be caught.
func Executors() (all []Canary) {
	for _, e := range executors {
		tasks := tasksOf(e.drill)
		if e.faults.keepTasks || e.faults.keepWaiters {
			tasks = 10_000 // until what is kept is told from what is not
		}
		all = append(all, Canary{
			Name: e.name, Fault: e.fault, Drill: e.drill, Killers: e.killers, Tasks: tasks,
			Executor: crewOf(e.name, e.fault, e.faults),
		})
	}
	return append(all, Canary{
		Name: "wakes-no-peer", Fault: "wakes nobody for what a worker spawns", Drill: soak.ExactlyOnce,
		Killers: []record.Reason{record.Stall}, Tasks: 1000, Executor: homesOf("wakes-no-peer", true),
	})
}
