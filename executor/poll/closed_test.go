//go:build !race

package poll_test

import (
	"errors"
	"testing"

	"github.com/exactlyonce/certify/executor/poll"
	"github.com/exactlyonce/certify/internal/stress"
)

// A channel that is closed while a Send waits for it is an error and no panic.
// The race detector calls such a close a race, and rightly.
func TestClosedUnderSend(t *testing.T) {
	stress.Watchdog(t)
	e := start(t, 1)
	ch := make(chan int)
	h := submit(t, e, poll.Send(ch, 1))
	stress.Until(func() bool { return e.Stats().Idle == 1 })
	close(ch)
	if _, err := h.Wait(background); !errors.Is(err, poll.ErrClosed) {
		t.Error(err)
	}
}
