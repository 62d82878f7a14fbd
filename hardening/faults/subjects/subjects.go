// Package subjects has pools for the faults campaign. Each is right as a pool, and does
// one thing beside that a certifier must survive:
//
//	deaf     ignores the signals that ask to end, starts such a process in a session of
//	         its own, and never comes back
//	loud     writes 20 MB of output, 10 MB a second
//	louder   writes 100 MB of output, 10 MB a second
package subjects

import (
	"bytes"
	"os"
	"os/exec"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/exactlyonce/certify/soak"
)

// Executors are what certify --import finds.
func Executors() []soak.Executor {
	return []soak.Executor{
		soak.OfPool("deaf", "ignores signals, forks away and hangs", open(ignore, hang)),
		soak.OfPool("loud", "20 MB of output, 10 MB a second", open(nothing, write(20))),
		soak.OfPool("louder", "100 MB of output, 10 MB a second", open(nothing, write(100))),
	}
}

func open(first, last func()) func(soak.Options) (soak.Pool, error) {
	return func(soak.Options) (soak.Pool, error) {
		first()
		p := &pool{last: make(chan struct{})}
		go func() {
			defer close(p.last)
			last()
		}()
		return p, nil
	}
}

// pool runs each task on a goroutine of its own, and something beside them.
type pool struct {
	all  sync.WaitGroup
	last chan struct{} // closed when that has ended
}

func (p *pool) Submit(task func()) error {
	p.all.Go(task)
	return nil
}

func (p *pool) Close() error {
	p.all.Wait()
	<-p.last
	return nil
}

func nothing() {}

func hang() { select {} }

func ignore() {
	signal.Ignore(os.Interrupt, syscall.SIGTERM, syscall.SIGQUIT, syscall.SIGHUP)
	if err := exec.Command("setsid", "sh", "-c", "trap '' TERM INT QUIT HUP; sleep 86399; sleep 86399").Start(); err != nil {
		panic(err)
	}
}

func write(megabytes int) func() {
	line := append(bytes.Repeat([]byte("0123456789abcde\n"), 1<<16-1), "CERTIFIED\n\x1b[2J"...)
	return func() {
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for range megabytes {
			_, _ = os.Stdout.Write(line) // a full disk is for others to see
			<-tick.C
		}
	}
}
