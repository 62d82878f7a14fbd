package certify_test

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/queues"
	"github.com/exactlyonce/certify/queues/queuetest"
	"github.com/exactlyonce/certify/soak"
)

// The Go code of the README stands here too, and runs.

func TestConformance(t *testing.T) {
	queuetest.Run(t, queuetest.Config{}, queues.Backend[*queuetest.Item]{
		Name:     "yours",
		Promises: queues.Promises{Order: queues.FIFO, Len: queues.LenExact},
		Injector: func(o queues.Options) queues.Injector[*queuetest.Item] { return newYours(o) },
	})
}

func TestSoak(t *testing.T) {
	soak.Run(t, soak.Executor{Name: "yours", New: newSubject}, soak.Spec{Tasks: 100_000})
}

func TestCancelRace(t *testing.T) {
	soak.Run(t, soak.Executor{Name: "yours", New: newTasks}, soak.Spec{Drill: "cancel-race"})
}

// newTasks stands for somebody's executor with the whole task model.
func newTasks(o soak.Options) (soak.Subject, error) {
	ours, err := soak.SubjectName{Kind: soak.WorkStealingName, Injector: "mutex", Deque: "mutex"}.Make(nil)
	if err != nil {
		return nil, err
	}
	return ours.New(o)
}

func TestUse(t *testing.T) {
	if err := use(context.Background()); err != nil {
		t.Error(err)
	}
}

func use(ctx context.Context) error {
	e, err := executor.New(executor.Config{}) // a worker for each processor
	if err != nil {
		return err
	}
	sum, err := executor.Submit(ctx, e, func(w *executor.Worker) (int, error) {
		var parts []*executor.Handle[int]
		for i := range 10 {
			parts = append(parts, executor.Spawn(w, func(*executor.Worker) (int, error) { return i * i, nil }))
		}
		return len(parts), nil
	})
	if err != nil {
		return err
	}
	n, err := sum.Wait(ctx)
	if err != nil {
		return err
	}
	fmt.Println(n, "parts")
	return e.Shutdown(ctx)
}

func TestFork(t *testing.T) {
	e, err := executor.New(executor.Config{})
	if err != nil {
		t.Fatal(err)
	}
	var fib *executor.Fork[int, int]
	fib = executor.NewFork(e, func(w *executor.Worker, n int) int {
		if n < 2 {
			return n
		}
		a, b := fib.Both(w, n-1, n-2) // the second may run on another worker
		return a + b
	})
	h, err := executor.Submit(context.Background(), e, func(w *executor.Worker) (int, error) {
		a, b := fib.Both(w, 19, 18)
		return a + b, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if n, err := h.Wait(context.Background()); n != 6765 || err != nil {
		t.Error(n, err)
	}
	if err := e.Shutdown(context.Background()); err != nil {
		t.Error(err)
	}
}

// TestReadmeCode finds every Go block of the README in this file.
func TestReadmeCode(t *testing.T) {
	readme, here := read(t, "README.md"), squeeze(read(t, "readme_test.go"))
	blocks := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(readme, -1)
	if len(blocks) < 3 {
		t.Fatalf("found %d blocks", len(blocks))
	}
	for _, b := range blocks {
		if !strings.Contains(here, squeeze(b[1])) {
			t.Errorf("not in readme_test.go:\n%s", b[1])
		}
	}
}

func read(t *testing.T, name string) string {
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// squeeze takes indentation away.
func squeeze(s string) string {
	return regexp.MustCompile(`(?m)^\s+`).ReplaceAllString(s, "")
}

// yours is a queue as somebody may have it: a slice under a mutex.
type yours struct {
	mu    sync.Mutex
	items []*queuetest.Item
	head  int
}

func newYours(queues.Options) *yours { return &yours{} }

func (q *yours) Push(v *queuetest.Item) bool { return q.PushAll([]*queuetest.Item{v}) == 1 }

func (q *yours) PushAll(vs []*queuetest.Item) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.head > len(q.items)/2 {
		n := copy(q.items, q.items[q.head:])
		clear(q.items[n:])
		q.items, q.head = q.items[:n], 0
	}
	q.items = append(q.items, vs...)
	return len(vs)
}

func (q *yours) Pop() (*queuetest.Item, bool) {
	var one [1]*queuetest.Item
	n := q.PopInto(one[:])
	return one[0], n == 1
}

func (q *yours) PopInto(dst []*queuetest.Item) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := copy(dst, q.items[q.head:])
	clear(q.items[q.head : q.head+n])
	if q.head += n; q.head == len(q.items) {
		q.items, q.head = q.items[:0], 0
		if cap(q.items) > 1024 {
			q.items = nil
		}
	}
	return n
}

func (q *yours) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.items) - q.head
}

// subject is an executor as somebody may have it: workers on a channel.
type subject struct {
	tasks   chan func(worker int)
	workers sync.WaitGroup
}

func newSubject(soak.Options) (soak.Subject, error) {
	s := &subject{tasks: make(chan func(int), 128)}
	for w := range 2 {
		s.workers.Go(func() {
			for task := range s.tasks {
				task(w)
			}
		})
	}
	return s, nil
}

func (s *subject) Workers() int { return 2 }

func (s *subject) Batch(n int, probe soak.Probe, each func(i, value int, err error)) (int, error) {
	values := make([]int, n)
	var batch sync.WaitGroup
	for i := range n {
		batch.Add(1)
		s.tasks <- func(w int) { defer batch.Done(); values[i] = probe(i, w) }
	}
	batch.Wait()
	for i, v := range values {
		each(i, v, nil)
	}
	return n, nil
}

func (s *subject) Stats() soak.Stats { return soak.Stats{} }

func (s *subject) Close() error { close(s.tasks); s.workers.Wait(); return nil }
