package faulty

import (
	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/queues"
	"github.com/exactlyonce/certify/soak"
	"github.com/exactlyonce/certify/soak/faulty/flawed"
)

// queueTasks are as many as a fault that is not rare needs.
const queueTasks = 30_000

// Queues are the faulty queues that a soak catches, inside our executor: the drill of
// their kind uses them bare.
func Queues() (all []Canary) {
	for _, q := range append(flawed.Deques[executor.Task](), flawed.Injectors[executor.Task]()...) {
		if q.Rare {
			continue
		}
		e := soak.OfBackends([]queues.Backend[*executor.Task]{q.Backend})[0]
		e.Name = q.Name
		tasks := queueTasks
		switch q.Name {
		case "modulo": // some queues begin before the wrap
			tasks *= 4
		case "sidelined": // some batches have more than one producer
			tasks *= 2
		}
		all = append(all, Canary{Name: q.Name, Fault: q.Fault, Drill: q.Kind().String(), Killers: q.Killers, Tasks: tasks, Executor: e})
	}
	return all
}
