//go:build unix

package child

import (
	"context"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// Who ends everything may hit the child before us: that is our end, and no death of the
// child's own.
func TestSignalledTogether(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGKILL} {
		s := spec(t, "killable")
		s.shared = time.Hour
		next := gate(t, &s)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan Exit, 1)
		go func() {
			exit, err := Run(ctx, s)
			if err != nil {
				t.Error(err)
			}
			ended <- exit
		}()
		pid, err := strconv.Atoi(next())
		if err != nil {
			t.Fatal(err)
		}
		if err := syscall.Kill(pid, sig); err != nil {
			t.Fatal(err)
		}
		for syscall.Kill(pid, 0) == nil { // until it is dead, and reaped
			select {
			case exit := <-ended:
				t.Fatalf("%v: it ended as %v before anybody could have known", sig, exit.Cause)
			default:
			}
		}
		cancel()
		if exit := <-ended; exit.Cause != Cancelled || exit.Signal != sig {
			t.Errorf("%v: cause %v, signal %v, want cancelled", sig, exit.Cause, exit.Signal)
		}
	}
}
