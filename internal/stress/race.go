package stress

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// RaceProgram builds a main package under the race detector and returns a function
// that runs it with an argument and tells whether a data race was reported. The
// program must end with 0 and print done. Without a race detector the test is skipped,
// and in a short run, since it takes some seconds.
func RaceProgram(t *testing.T, pkg, done string) (reported func(arg string) bool) {
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
	return func(arg string) bool {
		cmd := exec.Command(program, arg)
		cmd.Env = append(os.Environ(), "GORACE=exitcode=0 atexit_sleep_ms=0")
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), done) {
			t.Fatalf("%v\n%s", err, out)
		}
		return strings.Contains(string(out), "WARNING: DATA RACE")
	}
}
