package soak_test

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/internal/stress"
	"github.com/exactlyonce/certify/queues/catalog"
	"github.com/exactlyonce/certify/reports/record"
	"github.com/exactlyonce/certify/soak"
)

// Each fault that leaves the process alive gets its verdict, on ours and on
// the baseline. The others are for a process of their own.
func TestFaultsOnDemand(t *testing.T) {
	want := map[string]record.Reason{
		"duplicate": record.Duplicated, "alien": record.Duplicated, "lose": record.Lost, "leak": record.Leak, "stall": record.Stall,
	}
	elsewhere := map[string]bool{"kill": true, "panic": true, "exit": true, "memory": true, "race": true}
	injector, err := catalog.Injector[executor.Task]("msqueue")
	if err != nil {
		t.Fatal(err)
	}
	deque, err := catalog.Deque[executor.Task]("chaselev")
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	for _, f := range soak.Faults() {
		name, about := f[0], f[1]
		if about == "" || (want[name] == "") != elsewhere[name] {
			t.Errorf("fault %q, %q: known to neither list", name, about)
		}
		if elsewhere[name] {
			continue
		}
		for _, e := range []soak.Executor{soak.WorkStealing(injector, deque), soak.Goroutines()} {
			stress.Watchdog(t)
			spec := soak.Spec{Tasks: 1000, Batch: 100, Workers: 2, Fault: name}
			if name == "stall" {
				spec.Stall = 300 * time.Millisecond
			}
			o, err := soak.Check(e, spec)
			if err != nil {
				t.Fatal(err)
			}
			if o.Reason != want[name] || o.Verdict != record.Failed {
				t.Errorf("%s, fault %s: %s (%s), want %s: %s", e.Name, name, o.Verdict, o.Reason, want[name], o.Detail)
			}
			tried++
		}
	}
	if tried != 2*len(want) {
		t.Errorf("tried %d faults, want %d", tried, 2*len(want))
	}
}

// Run's failure names the drill, the seed, the law, the reason for it and the
// command that repeats it. It is this test that fails, in another process.
func TestRunTellsAll(t *testing.T) {
	const env = "SOAK_TEST_FAILS"
	if os.Getenv(env) != "" {
		soak.Run(t, soak.Goroutines(), soak.Spec{Tasks: 100, Seed: 4711, Fault: "lose"})
		return
	}
	stress.Watchdog(t)
	cmd := exec.Command(os.Args[0], "-test.run", "^TestRunTellsAll$")
	cmd.Env = append(os.Environ(), env+"=1")
	out, err := cmd.CombinedOutput()
	if errors.Is(err, syscall.ENOEXEC) {
		t.Skipf("an emulator runs this binary, and the kernel does not start it again: %v", err)
	}
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 1 {
		t.Fatalf("got %v\n%s", err, out)
	}
	drill := soak.Drills()[0]
	for _, want := range []string{
		soak.GoroutinesName, "drill " + drill.Name, "seed 4711", "FAILED (lost)", "the first lost is task 50",
		"law: " + drill.Law, "why: " + drill.Why, "repeat: go test -race -run '^TestRunTellsAll$'",
	} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %q in:\n%s", want, out)
		}
	}
}

// A subject that cannot be made is no verdict.
func TestCheckErrors(t *testing.T) {
	check := func(e soak.Executor, spec soak.Spec, want string) {
		t.Helper()
		if o, err := soak.Check(e, spec); err == nil || o.Verdict != 0 || !strings.Contains(err.Error(), want) {
			t.Errorf("got %s, %v, want an error about %s", o.Verdict, err, want)
		}
	}
	broken := soak.Executor{Name: "broken", New: func(soak.Options) (soak.Subject, error) { return nil, errors.New("no room") }}
	check(broken, soak.Spec{}, "make broken: no room")
	check(soak.Goroutines(), soak.Spec{Tasks: -1}, "tasks -1")
	injector, _ := catalog.Injector[executor.Task]("msqueue")
	check(soak.WorkStealing(injector, injector), soak.Spec{}, "Deque")
}
