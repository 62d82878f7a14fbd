package subjects_test

import (
	"strings"
	"testing"
)

// What would bring a certifier down, or have it pass what is broken. Each comes to an
// end, not with 0, and to words that name the cause.
func TestHostile(t *testing.T) {
	failed := func(reason string, words ...string) []string {
		return append(words, "FAILED ("+reason+")", "law: ", "repeat: certify soak --import ")
	}
	for _, c := range []struct {
		name  string
		code  int
		words []string
	}{
		{"hangsubmit", 1, failed("stall", "stall: no progress for 2")},
		{"hangclose", 1, failed("stall", "Close does not come back")},
		{"hangopen", 1, failed("stall", "making a subject: it does not come back within 2s")},
		{"hanginit", 2, []string{"does not say within 2s what it exports", "hanginit.go"}},
		{"exittask", 1, failed("crash", "exited with code 0 and without a result", "os.Exit")},
		{"exitinit", 2, []string{"--import: ", "ended, as if all were well", "os.Exit"}},
		{"panics", 1, failed("crash", "panic: on a goroutine of the pool", "panics.go")},
		{"leaks", 1, failed("leak", "found unexpected goroutines", "leaks.go")},
		{"hoards", 1, failed("memory", "its ceiling is 268435456 B")},
		{"prints", 1, failed("contract", "wrote more than 64 MiB")},
		{"forks", 1, failed("leak", "1 processes were left behind")},
		{"forges", 1, failed("crash", "exited with code 0 and without a result")},
		{"kills", 1, failed("crash", "killed by signal 9")},
		{"closes", 1, []string{"FAILED (c", "standard error"}}, // a crash of the runtime, or what was looked at
		{"testdata/broken", 4, []string{"undefined: nowhere", "broken.go:7"}},
		{"nothing", 2, []string{"it exports neither func Executors() []soak.Executor nor func Backends"}},
		{"nowhere", 2, []string{"--import: ", "hostile/nowhere"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := certify(t, "soak", "--import", here+"hostile/"+c.name, "--drill", "exactly-once", "--tasks", "300",
				"--race=false", "--stall", "2s", "--deadline", "20s", "--memory", "256MiB")
			r.comesTo(t, c.code, c.words...)
			if strings.Contains("\n"+r.out, "\nCERTIFIED") || strings.Contains(r.out+r.err, "\x1b") {
				t.Errorf("it passes, or steers the terminal:\n%s", tail(r.out))
			}
		})
	}
}

// The certificate's own command, canaries and all, ends as well, and says which
// subject it was.
func TestHostileRun(t *testing.T) {
	r := certify(t, "run", "--import", here+"hostile/exittask", "--preset", "quick", "--drill", "exactly-once", "--race=false")
	r.comesTo(t, 1, "FAILED (crash)", "exactly-once/executor=exittask/", "os.Exit", "known-bad subjects caught")
}
