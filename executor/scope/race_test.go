package scope_test

import (
	"errors"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/executor/scope"
	"github.com/exactlyonce/certify/internal/stress"
)

// contest lets n children of s act at once and returns how many won; the
// others must get an error that is lost.
func contest(t *testing.T, s *scope.Scope, n int, lost error, act func(*scope.Scope) error) (won int) {
	t.Helper()
	var ready, wins atomic.Int32
	err := s.Nested(func(s *scope.Scope) error {
		for range n {
			is(t, "go", s.Go(func(s *scope.Scope) error {
				ready.Add(1)
				s.Worker().Block(func() {
					stress.Until(func() bool { return ready.Load() >= int32(n) })
				})
				if err := act(s); err == nil {
					wins.Add(1)
				} else if !errors.Is(err, lost) {
					t.Errorf("lost with %v, want %v", err, lost)
				}
				return nil
			}))
		}
		return nil
	})
	is(t, "contest", err)
	return int(wins.Load())
}

// Of many that claim one ticket, by joins and discards, exactly one does.
func TestOneClaimWinsS4(t *testing.T) {
	e := start(t, executor.Config{Workers: 3})
	joins := 0
	for round := range stress.Rounds(200) {
		is(t, "run", scope.Run(background, e, func(s *scope.Scope) error {
			ticket := spawn(t, s, seven)
			var joined, turn atomic.Int32
			won := contest(t, s, 4, scope.ErrStale, func(s *scope.Scope) error {
				if round%3 > 0 && int(turn.Add(1))%2 == round%2 {
					return ticket.Discard(s)
				}
				n, err := ticket.Join(s)
				joined.Add(int32(n))
				return err
			})
			if won != 1 || joined.Load() != 0 && joined.Load() != 7 {
				t.Errorf("%d claims won, results add up to %d", won, joined.Load())
			}
			joins += int(joined.Load()) / 7
			return nil
		}))
	}
	if joins == 0 {
		t.Error("no join ever won")
	}
}

// Of many that cancel one task the first's cause stays.
func TestOneReasonWinsS3(t *testing.T) {
	e := start(t, executor.Config{Workers: 3})
	for range stress.Rounds(200) {
		is(t, "run", scope.Run(background, e, func(s *scope.Scope) error {
			var seen [2]error
			begun := make(chan struct{})
			ticket := spawn(t, s, func(s *scope.Scope) (int, error) {
				close(begun)
				seen[0] = stopped(s)
				return 0, errLater
			})
			meet(s, begun)
			causes := []error{errBoom, errWhim}
			var turn atomic.Int32
			contest(t, s, 2, scope.ErrStale, func(s *scope.Scope) error {
				return ticket.Cancel(s, causes[turn.Add(1)-1])
			})
			_, seen[1] = ticket.Join(s)
			if errors.Is(seen[0], errBoom) == errors.Is(seen[0], errWhim) || errors.Is(seen[0], errBoom) != errors.Is(seen[1], errBoom) {
				t.Errorf("the task saw %v, its owner %v", seen[0], seen[1])
			}
			return nil
		}))
	}
}

// Of many that close one resource while others use it exactly one does, and
// nobody uses it afterwards.
func TestOneCloserWinsS9(t *testing.T) {
	e := start(t, executor.Config{Workers: 3})
	uses, misses := 0, 0
	for range stress.Rounds(300) {
		is(t, "run", scope.Run(background, e, func(s *scope.Scope) error {
			var closed, using, used atomic.Int32
			r, err := scope.Acquire(s, openNothing, func(int) error {
				if using.Load() != 0 {
					t.Error("closed in use")
				}
				closed.Add(1)
				return nil
			})
			is(t, "acquire", err)
			won := contest(t, s, 3, scope.ErrStale, func(child *scope.Scope) error {
				err := r.Use(child, func(int) error {
					using.Add(1)
					defer using.Add(-1)
					used.Add(1)
					if closed.Load() != 0 {
						t.Error("used after its close")
					}
					return nil
				})
				if err != nil {
					return err
				}
				for {
					if err := r.Close(s); !errors.Is(err, scope.ErrInvalidTransition) { // in use
						return err
					}
					runtime.Gosched()
				}
			})
			uses, misses = uses+int(used.Load()), misses+3-won
			if won != 1 || closed.Load() != 1 {
				t.Errorf("%d closers won, closed %d times", won, closed.Load())
			}
			return nil
		}))
	}
	if uses == 0 || misses == 0 {
		t.Errorf("%d uses and %d lost races prove nothing", uses, misses)
	}
}

// A stop that races with the end of a body and with spawns leaves nothing
// behind: the run ends one way or the other, and agrees with what Cancel said.
// It goes on until each side has won.
func TestCancelAgainstTheEndS1S3(t *testing.T) {
	e := start(t, executor.Config{Workers: 3})
	var completed, cancelled int
	for round := 0; round < stress.Rounds(2000) || completed == 0 || cancelled == 0; round++ {
		begun := make(chan *scope.Scope, 1)
		over := make(chan error)
		go func() {
			over <- scope.Run(background, e, func(s *scope.Scope) error {
				begun <- s
				for range round % 4 {
					if err := s.Go(nothing); err != nil {
						return err
					}
				}
				return nil
			})
		}()
		s := <-begun
		for range round % 8 {
			runtime.Gosched()
		}
		refused := s.Cancel(errWhim)
		switch err := <-over; {
		case err == nil && errors.Is(refused, scope.ErrClosedScope):
			completed++
		case errors.Is(err, errWhim) && refused == nil:
			cancelled++
		default:
			t.Fatalf("cancel: %v, run: %v", refused, err)
		}
	}
	t.Logf("%d completed, %d cancelled", completed, cancelled)
}
