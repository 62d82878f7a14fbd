package survey

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/exactlyonce/certify/internal/stress"
	"github.com/exactlyonce/certify/soak/explore/rewrite"
)

// mutants are sources of ours with one mistake each, which exploration must find.
var mutants = []struct{ kind, name, mistake, file, text, instead string }{
	{Protocol, "parking", "a worker parks although it was woken before", "executor/parker.go",
		"for !p.permit {", "for first := true; first || !p.permit; first = false {"},
	{Protocol, "parking", "a publisher wakes nobody while one sleeps", "executor/sleep.go",
		"return idleOf(word) > 0 && searchingOf(word) == 0 && s.wakeOne()", "return idleOf(word) > 1 && searchingOf(word) == 0 && s.wakeOne()"},
	{Protocol, "parking", "a shutdown does not wait for who is submitting", "executor/submit.go",
		"for o.gate.Load() != closedBit {", "for false {"},
	{Protocol, "parking", "nobody wakes those who sleep for the shutdown", "executor/sleep.go",
		"s.wakeOne() // if all sleep already, one has to find that out", ""},
	{Protocol, "lifecycle", "a claim is a store", "executor/lifecycle/lifecycle.go",
		"return w.v.CompareAndSwap(pack(g, Queued), pack(g, Running)) // as swap, a call less",
		"if w.v.Load() == pack(g, Queued) { w.v.Store(pack(g, Running)); return true }; return false"},
	{Protocol, "lifecycle", "a cancel is a store", "executor/lifecycle/lifecycle.go",
		"case w.swap(g, s, Cancelled):", "case w.v.Swap(pack(g, Cancelled)) != 1<<63:"},
	{Protocol, "lifecycle", "a wake of a task that runs is dropped", "executor/lifecycle/lifecycle.go",
		"if w.swap(g, Running, Notified) {\n\t\t\t\treturn false", "if true {\n\t\t\t\treturn false"},
	{Protocol, "lifecycle", "a wake takes an idle task where no arrow leads", "executor/lifecycle/lifecycle.go",
		"if w.swap(g, Idle, Queued) {", "if w.swap(g, Idle, Running) {"},
	{Protocol, "gate", "a late winner hides what is newer", "executor/jobs/gate/gate.go",
		"if old != nil && old.rev > p.rev {", "if false {"},
	{Protocol, "gate", "a state moves by a store", "executor/jobs/gate/word.go",
		"if w.v.CompareAndSwap(v, pack(rev, to)) {", "if w.v.Swap(pack(rev, to)) != 1<<63 {"},
	{Reclaimer, "epoch", "one epoch is enough", "queues/epoch/slot.go", "now-s.limbo[s.oldest].tag >= 2*step", "now-s.limbo[s.oldest].tag >= step"},
	{Reclaimer, "epoch", "older pins do not hold the epoch", "queues/epoch/epoch.go", "if word != now|1 {", "if word > now|1 {"},
	{Reclaimer, "epoch", "the epoch is moved by an addition", "queues/epoch/epoch.go",
		"!d.epoch.CompareAndSwap(now, now+step)", "d.epoch.Add(step) == 1"},
	{Reclaimer, "epoch", "a slot is taken by a store", "queues/epoch/slot.go",
		"s.word.CompareAndSwap(0, pin)", "s.word.Swap(pin) != 1<<63"},
	{Reclaimer, "epoch", "a full cache keeps what it gives to the depot", "queues/epoch/slot.go",
		"clear(s.free[rest:])\n\t\ts.free = s.free[:rest]", ""},
}

// TestMutants: each mistake is found, as something other than a program that makes no
// sense.
func TestMutants(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	for _, m := range mutants {
		t.Run(m.name+"/"+m.mistake, func(t *testing.T) {
			bin := buildMutant(t, m.file, m.text, m.instead)
			out, _ := exec.Command(bin, Quick.Args(m.kind, m.name)...).Output()
			sum, err := Read(bytes.NewReader(out))
			if err != nil || sum.Failed == nil || sum.Failed.Invalid != "" || sum.Failed.Trace == "" {
				t.Fatalf("not found: %+v, %v\n%+v", sum, err, sum.Failed)
			}
			f := sum.Failed
			t.Logf("%s in %s after %d executions: %.100s, schedule %s", f.Verdict, f.Smallest, sum.Executions, f.Failure, f.Schedule)
			args := append(Quick.Args(m.kind, m.name), "-scenario", f.Smallest, "-replay", f.Schedule)
			out, _ = exec.Command(bin, args...).Output()
			if again, err := Read(bytes.NewReader(out)); err != nil || again.Failed == nil || again.Failed.Failure != f.Failure || again.Failed.Trace != f.Trace {
				t.Errorf("replayed: %+v, %v", again.Failed, err)
			}
		})
	}
}

// buildMutant builds an explorer of nothing but ours with text in a file replaced.
func buildMutant(t *testing.T, file, text, instead string) string {
	t.Helper()
	name, mutant := stress.Mutant(t, filepath.Join("../../..", file), text, instead)
	bin := filepath.Join(t.TempDir(), "explorer.exe")
	_, err := rewrite.Build(rewrite.Subject{
		Dir: ".", Patterns: []string{module + "soak/explore/driver"}, Work: t.TempDir(), Coarse: coarse,
		Instead: map[string]string{name: mutant},
	}, main(Packages{}), bin)
	if err != nil {
		t.Fatal(err)
	}
	return bin
}
