package certify_test

import (
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the tables of README.md anew")

// measured are the rows of docs/peers.md that README.md shows: by their beginnings.
var measured = []string{
	"empty task from outside, 1 submitter: CPU a task",
	"empty task from outside, 2 submitters: CPU a task",
	"empty task from inside a task: CPU a task",
	"a batch of empty tasks from outside: wall time of all",
	"ten times as many: CPU a task over that of the batch",
	"fib without cut-off: wall time a fork (n=27, workers=1)",
	"fib without cut-off: wall time a fork (n=27, workers=2)",
	"chain, each task gives the next: CPU a task",
	"tasks of 10 us: wall time a task (workers=1)",
	"tasks of 10 us: wall time a task (workers=2)",
	"from submit to run on an idle pool: p50 (submitter=waits",
	"memory a queued task, beside the pool's own",
	"idle: CPU a second",
}

// queuesAlone are those of docs/queues.md, a sitting of its own.
var queuesAlone = []string{
	"deque alone, owner: push and pop",
	"injector alone, one goroutine: push and pop",
	"injector, one pushes and one pops: wall time an item",
}

// TestPerformance holds README.md's tables, and the machine above them, against the
// sittings in docs, which scripts/peers.sh writes.
func TestPerformance(t *testing.T) {
	golden(t, "peers", table(t, "docs/peers.md", measured))
	golden(t, "queues", table(t, "docs/queues.md", queuesAlone))
}

func table(t *testing.T, file string, rows []string) string {
	t.Helper()
	var b strings.Builder
	sitting := read(t, file)
	for _, name := range []string{"- machine:", "- processors:", "- system:", "- Go:", "- date:", "- windows disturbed"} {
		b.WriteString(line(t, sitting, name))
	}
	b.WriteString("\n| work | ours | best Go peer that parks | ratio | native peers |\n|---|---|---|---|---|\n")
	for _, name := range rows {
		b.WriteString(line(t, sitting, "| "+name))
	}
	return b.String()
}

// line is the line that begins so.
func line(t *testing.T, text, begin string) string {
	t.Helper()
	for l := range strings.Lines(text) {
		if strings.HasPrefix(l, begin) {
			return l
		}
	}
	t.Fatalf("no line begins with %q", begin)
	return ""
}

// golden holds what stands in README.md between the marks of name against want.
func golden(t *testing.T, name, want string) {
	t.Helper()
	begin, end := "<!-- "+name+": written by a test -->\n", "<!-- end of "+name+" -->\n"
	text := read(t, "README.md")
	before, rest, found := strings.Cut(text, begin)
	got, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatalf("README.md lacks the marks %q and %q", begin, end)
	}
	if got == want {
		return
	}
	if !*update {
		t.Errorf("README.md is not what was measured: go test . -update\ngot\n%s\nwant\n%s", got, want)
		return
	}
	if err := os.WriteFile("README.md", []byte(before+begin+want+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}
