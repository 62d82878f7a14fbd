package explore_test

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/exactlyonce/certify/soak/explore"
	"github.com/exactlyonce/certify/soak/explore/atomic"
	"github.com/exactlyonce/certify/soak/explore/sync"
)

// TestStall: a thread that blocks in a channel is an error that says where,
// soon, and so is every exploration after it. This takes a process of its own.
func TestStall(t *testing.T) {
	if os.Getenv("EXPLORE_STALL") == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestStall$", "-test.v")
		cmd.Env = append(os.Environ(), "EXPLORE_STALL=1")
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "--- PASS: TestStall") {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	program := func(t *explore.T) {
		var x atomic.Int64
		never := make(chan bool)
		t.Go(func() { x.Add(1); <-never })
	}
	o := explore.Options{Stall: 50 * time.Millisecond}
	if _, err := explore.Run(program, o); !errors.Is(err, explore.ErrStalled) || !strings.Contains(err.Error(), "stall_test.go:") {
		t.Error(err)
	}
	if _, err := explore.Run(func(*explore.T) {}, o); !errors.Is(err, explore.ErrStalled) {
		t.Error(err)
	}
}

// TestPanicInSetUp: it is the caller's, as without a goroutine in between.
func TestPanicInSetUp(t *testing.T) {
	defer func() {
		if r := recover(); r != "here" {
			t.Error(r)
		}
		run(t, func(*explore.T) {}, explore.Options{}) // and the next one runs
	}()
	explore.Run(func(*explore.T) { panic("here") }, explore.Options{})
}

// TestChecksThatFail: a state that makes a check panic, loop or wait is wrong.
func TestChecksThatFail(t *testing.T) {
	var x atomic.Int64
	for want, check := range map[string]func() error{
		"panic in a check: here": func() error { panic("here") },
		"a check waits or loops": func() error {
			for x.Load() == 0 {
			}
			return nil
		},
		"a check waits": func() error {
			var m sync.Mutex
			m.Lock()
			m.Lock()
			return nil
		},
	} {
		r := run(t, func(t *explore.T) { t.Check(check) }, explore.Options{})
		if r.Verdict() != explore.Wrong || !strings.Contains(r.Err().Error(), want) {
			t.Errorf("%s: %v", want, r)
		}
	}
}
