package soak_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/exactlyonce/certify/internal/stress"
)

// TestSoakHidesNoRace: what the soak does around the tasks of a pool orders nothing
// between them. The detector sees a race in the pool that any order would hide, as
// the same pool shows with a counter that all tasks have in common.
func TestSoakHidesNoRace(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a program with the race detector")
	}
	stress.Watchdog(t)
	program := filepath.Join(t.TempDir(), "unordered.exe")
	if out, err := exec.Command("go", "build", "-race", "-o", program, "./testdata/unordered").CombinedOutput(); err != nil {
		if strings.Contains(string(out), "-race requires cgo") || strings.Contains(string(out), "C compiler") || strings.Contains(string(out), "not supported") {
			t.Skipf("no race detector here: %s", out)
		}
		t.Fatalf("%v\n%s", err, out)
	}
	reported := func(arg string) bool {
		cmd := exec.Command(program, arg)
		cmd.Env = append(os.Environ(), "GORACE=exitcode=0 atexit_sleep_ms=0")
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "done: CERTIFIED <nil>") {
			t.Fatalf("%v\n%s", err, out)
		}
		return strings.Contains(string(out), "WARNING: DATA RACE")
	}
	const tries = 5
	hidden := 0
	for range tries {
		if !reported("bare") {
			t.Fatal("the soak hides a race")
		}
		if !reported("ordered") {
			hidden++
		}
	}
	t.Logf("with the counter, the race was not reported in %d of %d runs", hidden, tries)
	if hidden == 0 {
		t.Error("the counter hid nothing: the program does not show what it is for")
	}
}
