package child

import (
	"context"
	"errors"
	"os/exec"
	"sync"
	"time"

	"github.com/exactlyonce/certify/soak/guard"
)

// supervisor is one child that was started.
type supervisor struct {
	group group
	spec  Spec
	state *exec.Cmd
	reap  func() error // once, however often it is called

	ended     chan struct{} // closed when the child has ended
	watched   chan struct{} // closed when the guard tripped or was stopped
	report    guard.Report  // of the guard; readable when watched is closed
	stopGuard context.CancelFunc
}

func supervise(cmd *exec.Cmd, g group, spec Spec) *supervisor {
	s := &supervisor{
		group: g, spec: spec, state: cmd, reap: sync.OnceValue(cmd.Wait),
		ended: make(chan struct{}), watched: make(chan struct{}),
	}
	var ctx context.Context
	ctx, s.stopGuard = context.WithCancel(context.Background())
	go func() {
		s.group.wait(s.reap)
		close(s.ended)
	}()
	go func() {
		s.report = guard.Watch(ctx, cmd.Process.Pid, spec.Limits)
		close(s.watched)
	}()
	return s
}

// await returns why the child ends, and has killed it unless that is Exited.
func (s *supervisor) await(ctx context.Context) Cause {
	var deadline <-chan time.Time
	if s.spec.Deadline > 0 {
		timer := time.NewTimer(s.spec.Deadline)
		defer timer.Stop()
		deadline = timer.C
	}
	cause := Exited
	select {
	case <-s.ended:
		return Exited
	case <-ctx.Done():
		cause = Cancelled
	case <-deadline:
		cause = Deadline
	case <-s.watched:
		cause = causeOf(s.report.Trip)
	}
	select {
	case <-s.ended: // it was faster than we
		return Exited
	default:
	}
	if cause == Deadline {
		s.dump(ctx)
	}
	s.group.kill()
	return cause
}

// dump lets a Go child write its goroutines, unless there is no time for it.
func (s *supervisor) dump(ctx context.Context) {
	if s.group.quit() != nil {
		return
	}
	grace := s.spec.Grace
	if grace == 0 {
		grace = defaultGrace
	}
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-s.ended:
	case <-timer.C:
	case <-ctx.Done():
	case <-s.watched:
	}
}

// dyingLimit is far above what a kernel takes to end a process.
const dyingLimit = 10 * time.Second

// finish waits for the end, buries the rest, and tells.
func (s *supervisor) finish(cause Cause, start time.Time) (Exit, error) {
	timer := time.NewTimer(dyingLimit)
	defer timer.Stop()
	select {
	case <-s.ended:
	case <-timer.C:
		s.stopGuard()
		return Exit{Cause: cause, Code: -1}, errors.New("killed, and does not die")
	}
	elapsed := time.Since(start)
	survivors, err := s.group.bury(cause != Exited)
	s.stopGuard()
	<-s.watched
	var exit *exec.ExitError
	if waitErr := s.reap(); !errors.As(waitErr, &exit) {
		err = errors.Join(err, waitErr)
	}
	state := s.state.ProcessState
	if state == nil {
		return Exit{Cause: cause, Code: -1}, err
	}
	return Exit{
		Cause:     s.verdict(cause, signalOf(state) != 0),
		Code:      state.ExitCode(),
		Signal:    signalOf(state),
		Elapsed:   elapsed,
		UserCPU:   state.UserTime(),
		SysCPU:    state.SystemTime(),
		Memory:    s.report,
		Survivors: survivors,
	}, err
}

// verdict refines Exited: a trip counts although the child was faster than
// the kill, for what was seen was seen.
func (s *supervisor) verdict(cause Cause, signalled bool) Cause {
	switch {
	case cause == Exited && s.report.Trip != guard.None:
		return causeOf(s.report.Trip)
	case cause == Exited && signalled:
		return Signalled
	}
	return cause
}

func causeOf(trip guard.Trip) Cause {
	return map[guard.Trip]Cause{guard.Memory: Memory, guard.LowWater: LowWater, guard.Blind: Blind}[trip]
}
