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

// TestPanicOutsideThreads: what panics in the set-up or in a check is the
// caller's, as without a goroutine in between.
func TestPanicOutsideThreads(t *testing.T) {
	for name, program := range map[string]func(*explore.T){
		"set-up": func(*explore.T) { panic("here") },
		"check":  func(t *explore.T) { t.Check(func() error { panic("here") }) },
	} {
		func() {
			defer func() {
				if r := recover(); r != "here" {
					t.Errorf("%s: %v", name, r)
				}
			}()
			explore.Run(program, explore.Options{})
		}()
	}
	run(t, func(*explore.T) {}, explore.Options{}) // and the next one runs
}
