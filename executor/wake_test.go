package executor_test

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/exactlyonce/certify/executor"
)

// X4, E04: tasks that a worker moves from the injector to its own deque are
// published there once more: a peer that fell asleep while they were in the
// worker's hands is woken for them.
func TestMovedTasksWakeX4(t *testing.T) {
	watchdog(t)
	var armed atomic.Bool
	moving, gate := make(chan struct{}), make(chan struct{})
	pushing := func() { // the first push after arming is that of a moved task
		if armed.CompareAndSwap(true, false) {
			close(moving)
			<-gate
		}
	}
	e := start(t, executor.Config{Workers: 3, Injector: injectorOf(0, hooks{}), Deque: dequeOf(0, hooks{pushing: pushing})})
	releaseA, releaseB, releaseC := gated(t, e), gated(t, e), gated(t, e)
	second := make(chan struct{})
	waits := func(*executor.Worker) (int, error) { <-second; return 0, nil }
	submit(t, e, waits) // A takes this one, and with it
	submit(t, e, func(*executor.Worker) (int, error) { close(second); return 0, nil })
	third, fourth := submit(t, e, waits), submit(t, e, nothing)

	armed.Store(true)
	releaseA()
	<-moving // A holds the second
	releaseB()
	until(func() bool { return e.Stats().Injected == 3+2+1 }) // B has the third
	releaseC()
	if _, err := fourth.Wait(background); err != nil {
		t.Fatal(err)
	}
	asleep(e, 1) // C has seen nothing
	close(gate)
	if _, err := third.Wait(background); err != nil {
		t.Fatal(err)
	}
}

// X4, X7, E04: a worker that stole a task between its announcement and its
// sleep is no reason for the others to leave a draining executor: the task may
// need them.
func TestDrainKeepsPeersForALateTaskX7(t *testing.T) {
	watchdog(t)
	var e *executor.Executor
	var armed, holding atomic.Bool
	var parks uint64
	looked, spawned, taken := make(chan struct{}), make(chan struct{}), make(chan struct{})
	h := hooks{
		missed: func() { // hold the thief after its last look before it announces
			if armed.Load() && e.Stats().Searching == 1 && armed.CompareAndSwap(true, false) {
				parks = e.Stats().Parks
				close(looked)
				<-spawned
				holding.Store(true)
			}
		},
		stolen: func() { // hold it until the other has gone, to sleep or for good
			if holding.CompareAndSwap(true, false) {
				if s := e.Stats(); s.Sleeping != 1 || s.Searching != 0 {
					t.Errorf("stolen by a worker that has not announced: %+v", s)
				}
				close(taken)
				until(func() bool { s := e.Stats(); return s.Parks > parks || s.Sleeping == 0 })
			}
		},
	}
	procs := runtime.GOMAXPROCS(1) // one look before it announces
	e = start(t, executor.Config{Workers: 2, Deque: dequeOf(0, h)})
	runtime.GOMAXPROCS(procs)
	releaseA, late := gated(t, e), make(chan struct{})
	running := make(chan struct{})
	var stolen *executor.Handle[int]
	spawner := submit(t, e, func(w *executor.Worker) (int, error) {
		close(running)
		<-late
		stolen = executor.Spawn(w, func(w *executor.Worker) (int, error) {
			done := make(chan struct{})
			executor.Spawn(w, func(*executor.Worker) (int, error) { close(done); return 0, nil })
			<-done // holds this worker until a peer runs the child
			return 7, nil
		})
		close(spawned)
		<-taken
		return 0, nil
	})
	<-running
	var ended sync.WaitGroup
	ended.Go(func() { drained(t, e) })
	until(func() bool { _, err := executor.TrySubmit(e, nothing); return err != nil })
	armed.Store(true)
	releaseA()
	<-looked
	close(late)
	if _, err := spawner.Wait(background); err != nil {
		t.Fatal(err)
	}
	if got, err := stolen.Wait(background); got != 7 || err != nil {
		t.Errorf("got %d, %v", got, err)
	}
	ended.Wait()
}
