package poll_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/executor/poll"
)

// A thousand tasks that wait take no worker and no goroutine each.
func Example() {
	ctx := context.Background()
	e, err := executor.New(executor.Config{Workers: 1})
	if err != nil {
		panic(err)
	}
	sleeps := make([]poll.Future[time.Time], 1000)
	for i := range sleeps {
		sleeps[i] = poll.After(10 * time.Millisecond)
	}
	h, err := poll.Submit(ctx, e, poll.Join(sleeps...))
	if err != nil {
		panic(err)
	}
	woke, err := h.Wait(ctx)
	fmt.Println(len(woke), err)
	fmt.Println(e.Shutdown(ctx))
	// Output:
	// 1000 <nil>
	// <nil>
}

// Whatever is first ends the task, and the others are dropped.
func ExampleSelect() {
	replies := make(chan string, 1)
	replies <- "pong"
	first := poll.Select(
		poll.Receive(replies),
		poll.Map(poll.After(time.Hour), func(time.Time) (string, error) { return "", errors.New("too slow") }),
	)
	got, err := poll.Block(context.Background(), first)
	fmt.Println(got.Index, got.Value, err)
	// Output: 0 pong <nil>
}

// latch is a future of one's own: it keeps the waker, and whoever opens it
// wakes.
type latch struct {
	open  chan struct{} // closed to open
	waker chan poll.Waker
}

func (l *latch) Poll(c *poll.Context) (string, bool, error) {
	select { // replace the waker first, look afterwards
	case <-l.waker:
	default:
	}
	l.waker <- c.Waker()
	select {
	case <-l.open:
		return "open", true, nil
	default:
		return "", false, nil
	}
}

func (l *latch) Open() {
	close(l.open) // first publish, wake afterwards
	select {
	case k := <-l.waker:
		k.Wake()
	default: // not polled yet: the first poll will see it
	}
}

func ExampleFuture() {
	l := &latch{open: make(chan struct{}), waker: make(chan poll.Waker, 1)}
	go l.Open()
	fmt.Println(poll.Block(context.Background(), l))
	// Output: open <nil>
}
