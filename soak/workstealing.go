package soak

import (
	"context"
	"fmt"

	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/queues"
	"github.com/exactlyonce/certify/queues/catalog"
	"github.com/exactlyonce/certify/reports/record"
)

// WorkStealing is our executor on an injector and a deque.
func WorkStealing(injector, deque queues.Backend[*executor.Task]) Executor {
	e := Executor{
		Name:  WorkStealingName,
		About: "our executor on the injector " + injector.Name + " and the deque " + deque.Name,
		New: func(o Options) (Subject, error) {
			e, err := executor.New(executor.Config{
				Workers: o.Workers, Capacity: o.Capacity, Seed: o.Seed, Injector: injector, Deque: deque,
			})
			if err != nil {
				return nil, err
			}
			s := newWorkStealing(e, o.Capacity)
			s.injector, s.deque = injector, deque
			return s, nil
		},
	}
	if injector.Validate() == nil && deque.Validate() == nil { // else New says what is wrong
		e.kind = &workStealing{injector: injector, deque: deque}
	}
	return e
}

// workStealing spawns every batch with the same functions and handles, so
// that nothing is allocated a task and the storage is shown to hold.
type workStealing struct {
	injector, deque queues.Backend[*executor.Task]

	exec    *executor.Executor
	slots   int64 // of the executor
	room    int64 // of the storage: a batch and its spawner
	storage *executor.Storage[int]
	probes  []func(*executor.Worker) (int, error)

	// n and probe are written before the spawner is submitted and read by the
	// tasks of its batch.
	n     int
	probe Probe
}

func newWorkStealing(e *executor.Executor, room int) *workStealing {
	s := &workStealing{exec: e, slots: int64(room), room: int64(room), storage: executor.NewStorage[int](e, room)}
	s.probes = make([]func(*executor.Worker) (int, error), room-1)
	for i := range s.probes {
		s.probes[i] = func(w *executor.Worker) (int, error) { return s.probe(i, w.Index()), nil }
	}
	return s
}

func (s *workStealing) Workers() int { return s.exec.Workers() }

func (s *workStealing) Batch(n int, probe Probe, each func(i, value int, err error)) (spawned int, err error) {
	s.n, s.probe = n, probe
	ctx := context.Background()
	spawner, err := s.storage.Submit(ctx, s.spawn)
	if err != nil {
		return 0, err
	}
	if spawned, err = spawner.Wait(ctx); err != nil {
		return spawned, err
	}
	err = s.storage.Wait(ctx, func(i, value int, err error) {
		if i > 0 { // 0 is the spawner
			each(i-1, value, err)
		}
	})
	if err != nil {
		return spawned, err
	}
	if n := s.exec.Stats().InPlace; n > 0 {
		return spawned, fmt.Errorf("%d tasks ran in place, though there was room for all", n)
	}
	return spawned, s.storage.Reset()
}

// spawn is the spawner: it returns how many it has spawned.
func (s *workStealing) spawn(w *executor.Worker) (int, error) {
	if err := s.storage.SpawnAll(w, s.probes[:s.n]); err != nil {
		return 0, err
	}
	return s.n, nil
}

func (s *workStealing) Close() error { return s.exec.Shutdown(context.Background()) }

func (s *workStealing) Stats() Stats {
	x := s.exec.Stats()
	workers, capacity := int64(x.Workers), int64(x.Capacity)
	out := Stats{
		Progress: x.Completed + x.Failed + x.Cancelled,
		Gauges: []Gauge{
			{"high-water", int64(s.storage.HighWater()), 0, s.room, -1},
			{"queued", int64(x.Queued), 0, capacity + int64(x.Room), 0},
			{"idle", int64(x.Idle), 0, capacity, 0},
			{"stored", int64(x.Stored), 0, s.slots, -1},
			{"running", int64(x.Running), 0, workers + int64(x.Apart), -1},
			{SleepingGauge, int64(x.Sleeping), 0, workers, -1},
			{"searching", int64(x.Searching), 0, workers, -1},
		},
		Counts: []record.Value{
			{Unit: "steals", Value: float64(x.Steals)},
			{Unit: "stolen", Value: float64(x.Stolen)},
			{Unit: "steal-races", Value: float64(x.StealRaces)},
			{Unit: "injected", Value: float64(x.Injected)},
			{Unit: "parks", Value: float64(x.Parks)},
			{Unit: "wakes", Value: float64(x.Wakes)},
		},
	}
	if in, gone := x.Submitted+x.Spawned, x.Completed+x.Failed+x.Cancelled; in != gone {
		out.Unbalanced = fmt.Sprintf("%d submitted and %d spawned, but %d completed, %d failed and %d cancelled",
			x.Submitted, x.Spawned, x.Completed, x.Failed, x.Cancelled)
	}
	return out
}

// OfBackends makes an executor of each back end: of an injector with our deque, and
// of a deque with our injector.
func OfBackends(backends []queues.Backend[*executor.Task]) (all []Executor) {
	injector, _ := catalog.Injector[executor.Task]("msqueue") // the catalog has both
	deque, _ := catalog.Deque[executor.Task]("chaselev")
	for _, b := range backends {
		e := WorkStealing(b, deque)
		e.injector = b.Name
		if b.Kind() == queues.KindDeque {
			e = WorkStealing(injector, b)
			e.deque = b.Name
		}
		e.Name, e.About = b.Kind().String()+"-"+b.Name, b.About
		all = append(all, e)
	}
	return all
}
