package stress

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// HidesNoRace builds a main package with a data race in it, under the race detector.
// With the argument plain the race must be reported at each of some runs; with hides
// it must not at one of them at least, or the package does not show what it is for. It
// ends with 0 and prints done. Without a race detector the test is skipped, and in a
// short run, since it takes some seconds.
func HidesNoRace(t *testing.T, pkg, done, plain, hides string) {
	t.Helper()
	Watchdog(t)
	program := raceProgram(t, pkg)
	reported := func(arg string) bool {
		cmd := exec.Command(program, arg)
		cmd.Env = append(os.Environ(), "GORACE=exitcode=0 atexit_sleep_ms=0")
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), done) {
			t.Fatalf("%v\n%s", err, out)
		}
		return strings.Contains(string(out), "WARNING: DATA RACE")
	}
	const tries = 5
	hidden := 0
	for range tries {
		if !reported(plain) {
			t.Fatalf("%s hides a race", plain)
		}
		if !reported(hides) {
			hidden++
		}
	}
	t.Logf("with %s the race was not reported in %d of %d runs", hides, hidden, tries)
	if hidden == 0 {
		t.Errorf("%s hid nothing: the program does not show what it is for", hides)
	}
}

// raceProgram is the path of the built package.
func raceProgram(t *testing.T, pkg string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("it builds a program with the race detector")
	}
	program := filepath.Join(t.TempDir(), "program.exe")
	if out, err := exec.Command("go", "build", "-race", "-o", program, pkg).CombinedOutput(); err != nil {
		for _, lacking := range []string{"-race requires cgo", "C compiler", "not supported"} {
			if strings.Contains(string(out), lacking) {
				t.Skipf("no race detector here: %s", out)
			}
		}
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}
