package scenario_test

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/exactlyonce/certify/internal/stress"
	"github.com/exactlyonce/certify/soak/explore/rewrite"
	"github.com/exactlyonce/certify/soak/explore/scenario"
)

// mutants are our deque's and queue's own source with one mistake each.
var mutants = []struct{ name, file, text, instead string }{
	{"no second look at the ring (CVE-2021-32810)", "chaselev/thief.go", "d.ring.Load() != r || !d.top", "!d.top"},
	{"the owner stores top for the last item", "chaselev/chaselev.go", "if !d.top.CompareAndSwap(t, t+1) {", "if d.top.Store(t + 1); false {"},
	{"a thief stores top", "chaselev/thief.go", "!d.top.CompareAndSwap(t, t+1)", "func() bool { d.top.Store(t + 1); return false }()"},
	{"the head is stored", "msqueue/pop.go", "q.head.CompareAndSwap(head, last)", "func() bool { q.head.Store(last); return true }()"},
	{"a list is linked by a store", "msqueue/push.go", "tail.next.CompareAndSwap(nil, first)", "func() bool { tail.next.Store(first); return true }()"},
}

// TestOwnMutants: each mistake is found, as something other than a program that
// makes no sense.
func TestOwnMutants(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	for _, m := range mutants {
		t.Run(m.name, func(t *testing.T) {
			r := first(t, m.file, m.text, m.instead)
			t.Logf("%s in %s after %d executions, smallest %s, schedule %s: %.60s", r.Verdict, r.Scenario, r.Executions, r.Smallest, r.Schedule, r.Failure)
			if r.Verdict == "passed" || r.Invalid != "" {
				t.Errorf("%+v", r)
			}
		})
	}
}

// first is the last result of a driver that stops at the first failure, with
// text in a file of queues replaced.
func first(t *testing.T, file, text, instead string) (r scenario.Result) {
	t.Helper()
	name, mutant := stress.Mutant(t, filepath.Join("../../../queues", file), text, instead)
	pkg, bin := module+"queues/"+filepath.Dir(file), filepath.Join(t.TempDir(), "driver.exe")
	_, err := rewrite.Build(rewrite.Subject{
		Dir: ".", Patterns: []string{pkg, module + "soak/explore/scenario"}, Work: t.TempDir(), Coarse: []rewrite.Coarse{coarseEpochs},
		Instead: map[string]string{name: mutant},
	}, scenario.Driver(pkg), bin)
	if err != nil {
		t.Fatal(err)
	}
	out, _ := exec.Command(bin, "-first", "-executions", "20000").Output()
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &r); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return r
}
