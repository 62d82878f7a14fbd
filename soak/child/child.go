package child

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/exactlyonce/certify/soak/guard"
)

// Spec says what to run. The child's standard input belongs to WatchParent.
type Spec struct {
	Path string
	Args []string // without the name
	Env  []string // nil is the environment of this process
	Dir  string

	LogPath string // standard output and error; an older file is replaced

	Deadline time.Duration // 0 is none
	Grace    time.Duration // for the dump of goroutines at the deadline; 0 is 2 s
	Limits   guard.Limits

	// Foreign is a program that does not call WatchParent, such as a compiler:
	// a shell beside it kills its group when we are gone.
	Foreign bool

	shared time.Duration // 0 is sharedLimit
}

const defaultGrace = 2 * time.Second

// Cause is why a child ended.
type Cause uint8

const (
	Exited    Cause = iota + 1 // by itself: Code is its own
	Signalled                  // by a signal that is not ours: Signal says which
	Deadline                   // killed, or gone after the dump: it took too long
	Memory                     // killed: its tree exceeded the ceiling
	LowWater                   // killed: the host ran short of memory
	Blind                      // killed: its memory could not be watched
	Cancelled                  // killed, or never started: the context was done, or it was a second after a signal
)

func (c Cause) String() string {
	names := [...]string{"", "exited", "signalled", "deadline", "memory", "low water", "blind", "cancelled"}
	if int(c) < len(names) && c > 0 {
		return names[c]
	}
	return fmt.Sprintf("Cause(%d)", uint8(c))
}

// Exit is what became of a child.
type Exit struct {
	Cause     Cause
	Code      int            // -1 when a signal ended it
	Signal    syscall.Signal // 0 when none did
	Elapsed   time.Duration
	UserCPU   time.Duration // with the descendants that it waited for
	SysCPU    time.Duration
	Memory    guard.Report // with the peak of its tree
	Survivors int          // killed after it had ended, or after they had left its group
}

// Run runs a child to its end. Everything a child can do is an Exit; an error
// is the supervisor's: no log, no such program, a process that does not die.
func Run(ctx context.Context, spec Spec) (Exit, error) {
	if spec.Deadline < 0 || spec.Grace < 0 {
		return Exit{}, fmt.Errorf("child: run %s: deadline %v, grace %v: negative", spec.Path, spec.Deadline, spec.Grace)
	}
	if ctx.Err() != nil {
		return Exit{Cause: Cancelled, Code: -1}, nil
	}
	log, err := os.OpenFile(spec.LogPath, os.O_CREATE|os.O_WRONLY|os.O_TRUNC|os.O_APPEND, 0o644)
	if err != nil {
		return Exit{}, fmt.Errorf("child: run %s: log: %w", spec.Path, err)
	}
	exit, err := runLogged(ctx, spec, log)
	if err = errors.Join(err, log.Close()); err != nil {
		return exit, fmt.Errorf("child: run %s: %w", spec.Path, err)
	}
	return exit, nil
}

func runLogged(ctx context.Context, spec Spec, log *os.File) (Exit, error) {
	// The child holds one end, we hold the other, and the kernel closes ours
	// however we end: that is what WatchParent waits for.
	stdin, lifeline, err := os.Pipe()
	if err != nil {
		return Exit{}, err
	}
	defer lifeline.Close()
	mark := rand.Text()
	cmd := command(spec, mark)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, log, log
	defer stdin.Close()
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return Exit{}, err
	}
	g, err := adopt(cmd, mark)
	if err != nil {
		return Exit{}, errors.Join(err, cmd.Process.Kill(), cmd.Wait())
	}
	defer g.close()
	if spec.Foreign {
		defer g.watch(stdin)()
	}
	s := supervise(cmd, g, spec)
	exit, err := s.finish(s.await(ctx), start)
	if exit.Cause == Signalled && spec.endsToo(ctx) {
		exit.Cause = Cancelled
	}
	return exit, err
}

// sharedLimit is far above what lies between the first and the last signal of
// somebody who ends everything there is.
const sharedLimit = time.Second

// endsToo waits for a moment: a service manager, or a batch system, signals the
// child and us together, and the child may be the first to get it. That is no
// death of its own. Where we are killed, too, nobody is left to say that it was.
func (s Spec) endsToo(ctx context.Context) bool {
	limit := s.shared
	if limit == 0 {
		limit = sharedLimit
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return true
	case <-timer.C:
		return false
	}
}

// The environment of a child tells it, and everyone it starts, whose it is.
const (
	markPrefix = "CERTIFY_CHILD_"       // + mark; a child of a child has two
	watchEnv   = "CERTIFY_WATCH_PARENT" // = the mark of the innermost
)

func command(spec Spec, mark string) *exec.Cmd {
	cmd := exec.Command(spec.Path, spec.Args...)
	cmd.Dir = spec.Dir
	cmd.Env = spec.Env
	if cmd.Env == nil {
		cmd.Env = os.Environ()
	}
	cmd.Env = append(cmd.Env[:len(cmd.Env):len(cmd.Env)], markPrefix+mark+"=1", watchEnv+"="+mark)
	cmd.SysProcAttr = attributes()
	return cmd
}
