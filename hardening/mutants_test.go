package hardening

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/exactlyonce/certify/internal/stress"
)

// Lines of the executor with a fault in them, and the drill that must find it. What
// has no faulty subjects, since only our own executor offers it, is shown to have
// power by these.
var executorMutants = []struct{ drill, file, good, bad string }{
	{"light-tasks", "lights.go", "w.n.failed.Add(1)\n\tg.fail(err)", "w.n.failed.Add(1)"},
	{"light-tasks", "lights.go", "w.lightInPlace(g, fn, arg)\n\t\treturn", "return"},
	{"light-tasks", "light.go", "g.expect(int64(n))", "g.expect(int64(n) - 1)"},
	{"light-tasks", "light.go", "if l.queue.n == 1 {", "if l.queue.n == 2 {"},
	{"light-tasks", "light.go", "g.finish(advance - l.owed)", "g.finish(advance)"},
	{"saturation", "line.go", "n > 0 && l.length.Load() > 0", "n > 0 && l.length.Load() > 1"},
	{"saturation", "line.go", "w.place = l.waiters.PushFront(w)", "w.place = list.New().PushFront(w)"},
	{"fork-join", "fork.go", "rb = br.result", "_ = br.result"},
	{"fork-join", "fork.go", "if w.published <= n {", "if w.published <= n+1 {"},
	{"fork-join", "fork.go", "b.arg)\n\tb.err = nil", "b.arg)"},
	{"fork-join", "fork.go", "b.state.Swap(state) == branchWaited", "b.state.Swap(state) == branchQueued"},
	{"fork-join", "loop.go", "right = r.of(w, mid, high)", "right = r.of(w, mid+1, high)"},
}

func TestExecutorMutants(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds and soaks a dozen executors")
	}
	certify := filepath.Join(t.TempDir(), "certify.exe")
	if out, err := exec.Command("go", "build", "-o", certify, "../cmd/certify").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, m := range executorMutants {
		t.Run(strings.TrimSuffix(m.file, ".go")+"/"+m.bad, func(t *testing.T) {
			stress.Watchdog(t)
			path, text := stress.Mutant(t, filepath.Join("../executor", m.file), m.good, m.bad)
			dir := t.TempDir()
			faulty, overlay := filepath.Join(dir, "faulty.go"), filepath.Join(dir, "overlay.json")
			replace, err := json.Marshal(map[string]map[string]string{"Replace": {path: faulty}})
			if err != nil {
				t.Fatal(err)
			}
			for name, content := range map[string]string{faulty: text, overlay: string(replace)} {
				if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			cmd := exec.Command(certify, "soak", "--race=false", "--drill", m.drill, "--stall", "3s", "--reps", "5", "--out", filepath.Join(dir, "run"))
			cmd.Env = append(os.Environ(), "GOFLAGS=-overlay="+overlay)
			out, _ := cmd.CombinedOutput()
			if code := cmd.ProcessState.ExitCode(); code != 1 || !strings.Contains(string(out), "FAILED") {
				t.Fatalf("exit code %d\n%s", code, out)
			}
			for line := range strings.Lines(string(out)) {
				if strings.Contains(line, "seen:") {
					t.Log(strings.TrimSpace(line))
				}
			}
		})
	}
}
