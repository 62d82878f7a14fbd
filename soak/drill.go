package soak

import (
	"errors"
	"fmt"
	"slices"
)

// Drill is one stress workload with the law it checks.
type Drill struct {
	Name  string
	Law   string // what must hold
	Why   string // why it must
	Tasks int    // that a repetition has unless told otherwise: rounds, in most drills
	Batch int    // of them at once
	needs need
	// ledger: every task of it is marked in a Ledger.
	ledger bool
	run    func(*trial)
}

// Drills lists the drills there are.
func Drills() []Drill { return slices.Clone(drills) }

var drills = []Drill{{
	Name:  ExactlyOnce,
	Law:   "every task that was accepted runs exactly once and its handle returns its result",
	Why:   "a scheduler that loses or repeats work under load corrupts whatever is built on it",
	Tasks: defaultTasks, Batch: DefaultBatch, needs: batches, ledger: true, run: (*trial).exactlyOnce,
}, {
	Name:  "cancel-race",
	Law:   "a task ends once: completed, or cancelled by the one Cancel that was told so; cancelled before its start it never runs, and after Wait nobody runs it",
	Why:   "a cancel that its task's end undoes, or that two callers won, frees twice what the task held",
	Tasks: 100_000, Batch: 256, needs: tasks, run: (*trial).cancelRace,
}, {
	Name:  "wake-storm",
	Law:   "a wake before, during or after a poll leads to one more, and no two workers poll a task at once",
	Why:   "a lost wake is a task that waits for ever, and a test whose futures are ready at once never sees it",
	Tasks: 100_000, Batch: 512, needs: polls, run: (*trial).wakeStorm,
}, {
	Name:  "panic",
	Law:   "a panic is the outcome of its task, and loses no worker, no count and no other task",
	Why:   "one bad task must not take a worker, or the process, from all others",
	Tasks: 100_000, Batch: 256, needs: submits, ledger: true, run: (*trial).panics,
}, {
	Name:  "goexit",
	Law:   "runtime.Goexit is the outcome of its task, and loses no worker, no count and no other task",
	Why:   "a test's FailNow inside a task calls it, and a pool that only recovers panics loses its worker",
	Tasks: 100_000, Batch: 256, needs: submits, ledger: true, run: (*trial).goexits,
}, {
	Name:  "shutdown-race",
	Law:   "a submit that races with Close and Stop is accepted or refused; accepted it ends once, refused it never runs",
	Why:   "a task that is accepted into an executor that has closed leaves its waiter hanging for ever",
	Tasks: 10_000, Batch: 100, needs: submits, run: (*trial).shutdownRace,
}, {
	Name:  "nested-wait",
	Law:   "tasks that wait for tasks end, with 1, 2 and 3 workers",
	Why:   "waits that hold workers deadlock a pool as soon as they are as many as the workers",
	Tasks: 100_000, Batch: 128, needs: tasks, ledger: true, run: (*trial).nestedWait,
}, {
	Name:  "lock-across-wait",
	Law:   "a task may hold a lock while it waits for a child",
	Why:   "a waiter that runs whatever it finds meets, on its own goroutine, the lock that it holds",
	Tasks: 100_000, Batch: 256, needs: tasks, ledger: true, run: (*trial).lockAcrossWait,
}, {
	Name:  "saturation",
	Law:   "with no room left a submit waits, or is refused and never runs; a context that has ended is refused always; a spawn runs in place",
	Why:   "backpressure that drops tasks, or lets them in beyond the bound, shows only under overload",
	Tasks: 100_000, Batch: 512, needs: tasks, run: (*trial).saturation,
}, {
	Name:  "scope-tree",
	Law:   "a tree of scopes ends after all that is in it, as the model of its failures allows, and each body runs at most once",
	Why:   "a child that outlives its scope uses what the scope has closed",
	Tasks: 100_000, Batch: 32, needs: natives, run: (*trial).scopeTrees,
}, {
	Name:  "resources",
	Law:   "a resource is closed exactly once, newest first, after its last use, however its scopes are stopped",
	Why:   "two closers, or none, are what a cancel in the middle of an acquire leaves behind",
	Tasks: 20_000, Batch: 100, needs: natives, run: (*trial).resources,
}, {
	Name:  "jobs",
	Law:   "of concurrent starts of one id one has it; what Cancel said agrees with the outcome; whatever the store fails at, the id is free again",
	Why:   "a cancel that is accepted while a job is being finished changes an outcome that somebody has read",
	Tasks: 20_000, Batch: 100, needs: natives, run: (*trial).jobRace,
}, {
	Name:  "gate",
	Law:   "of racing revisions of a key only the newest publishes in the end, each at most once, and readers never go back",
	Why:   "a result for an input that has changed since overwrites the one for what is there now",
	Tasks: 1_000, Batch: 50, needs: natives, run: (*trial).gates,
}, {
	Name:  "light-tasks",
	Law:   "a task without a handle runs exactly once, however it is given, and its group's wait returns when all have ended and tells how the first failed",
	Why:   "what costs next to nothing a task must not cost a task",
	Tasks: 200_000, Batch: 512, needs: natives, ledger: true, run: (*trial).lightTasks,
}, {
	Name:  "fork-join",
	Law:   "both calls of a fork run once, whoever runs them, and it returns when both have, with their results",
	Why:   "a branch that is stolen and taken back too runs twice, and one that neither takes never",
	Tasks: 200_000, Batch: 1024, needs: natives, ledger: true, run: (*trial).forkJoin,
}, {
	Name:  "burst-and-idle",
	Law:   "the first task after all workers fell asleep runs, and an idle executor uses less than 1 % of a processor",
	Why:   "a lost wake-up shows when everybody sleeps, and a pool that polls hides it at the cost of a processor",
	Tasks: 100_000, Batch: 32, needs: tasks, ledger: true, run: (*trial).burstAndIdle,
}, {
	Name:  "churn",
	Law:   "executors that are made, used and closed leave neither memory nor goroutines",
	Why:   "a server that makes a pool a request dies of what each leaves behind",
	Tasks: 3_000, Batch: 100, needs: tasks, run: (*trial).churn,
}, {
	Name:  injectorDrill,
	Law:   "the history of the bare injector, each call of it, is one that its promises allow",
	Why:   "a queue may hand out everything once and still reorder, refuse or find nothing when it must not",
	Tasks: 500_000, Batch: DefaultBatch, needs: bare, run: (*trial).bareInjector,
}, {
	Name:  dequeDrill,
	Law:   "the history of the bare deque, its owner's and thieves' calls, is one that its promises allow",
	Why:   "a thief that takes the wrong end, or is told that nothing is there, is seen in no result",
	Tasks: 500_000, Batch: DefaultBatch, needs: bare, run: (*trial).bareDeque,
}}

// HistoryDrills are those of bare queues, whose histories are judged call by call.
func HistoryDrills() []string { return []string{injectorDrill, dequeDrill} }

// need is what a subject must be for a drill.
type need struct {
	what string
	met  func(Subject) bool
}

var (
	batches = need{"batches", func(Subject) bool { return true }}
	submits = need{"Submit for a task (soak.Pool, soak.Tasks)", func(s Subject) bool { _, ok := s.(submitter); return ok }}
	tasks   = need{"handles with Cancel (soak.Tasks)", func(s Subject) bool { _, ok := s.(Tasks); return ok }}
	natives = need{"jobs, scopes, gates, light tasks and forks: they are of our executor", func(s Subject) bool { _, ok := s.(native); return ok }}
	polls   = need{"polled tasks (soak.Polls)", func(s Subject) bool { _, ok := s.(Polls); return ok }}
)

// FindDrill returns the drill of that name, or an error that lists the names
// there are.
func FindDrill(name string) (Drill, error) {
	return find("drill", name, Drills(), func(d Drill) string { return d.Name })
}

// Fits returns an error when subjects of e lack what the drill needs.
func (d Drill) Fits(e Executor) error {
	if why, ok := e.Without[d.Name]; ok {
		return fmt.Errorf("soak: drill %s: the executor %s declares: %s", d.Name, e.Name, why)
	}
	s, release, err := e.shape()
	if err != nil {
		return err
	}
	if d.needs.met(s) {
		return release()
	}
	return errors.Join(d.misfit(e), release())
}

func (d Drill) misfit(e Executor) error {
	return fmt.Errorf("soak: drill %s: the executor %s has no %s", d.Name, e.Name, d.needs.what)
}
