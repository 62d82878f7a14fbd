package deploytest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestBenchSh compares a commit with one in which a deque does its work ten times
// over: a regression. Against itself it is none.
func TestBenchSh(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures, for some 20 s")
	}
	clone := filepath.Join(t.TempDir(), "clone")
	git := func(args ...string) {
		t.Helper()
		if code, said := execute(t, nil, "git", args...); code != 0 {
			t.Fatal(args, said)
		}
	}
	git("clone", "--quiet", root, clone)
	plant(t, filepath.Join(clone, "queues", "mutex", "deque.go"))
	git("-C", clone, "-c", "user.name=test", "-c", "user.email=test@example.com", "commit", "--quiet", "--all", "--message", "slower")
	for _, c := range []struct {
		base, head string
		code       int
	}{{"HEAD~1", "HEAD", 1}, {"HEAD", "HEAD~1", 0}} {
		code, said := execute(t, map[string]string{
			"BASE": c.base, "HEAD": c.head, "SELECT": "^Own/queue=mutex/burst=64$", "ROUNDS": "4", "THRESHOLD": "0.5",
		}, "env", "-C", clone, filepath.Join(root, "scripts", "bench.sh"), t.TempDir())
		if code != c.code {
			t.Errorf("%s against %s: exit %d, want %d\n%s", c.head, c.base, code, c.code, said)
		}
	}
}

// plant makes every push of the mutex deque take a microsecond more.
func plant(t *testing.T, file string) {
	t.Helper()
	source := text(t, file)
	at := strings.Index(source, ") Push(")
	if at < 0 {
		t.Fatalf("%s has no Push", file)
	}
	body := at + strings.Index(source[at:], "{\n") + len("{\n")
	source = source[:body] + "\tfor n := 0; n < 3000; n++ {\n\t\tslower ^= n\n\t}\n" + source[body:] + "\nvar slower int\n"
	if err := os.WriteFile(file, []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
}
