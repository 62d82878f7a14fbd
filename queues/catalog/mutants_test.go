package catalog

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/exactlyonce/certify/internal/stress"
)

// mutant is one line of a back end with a fault in it, and the tests of its package
// that must see it.
type mutant struct {
	file string // below queues
	good string // occurs once
	bad  string
	run  string // the tests, as for go test -run
}

var mutants = []mutant{
	// SCQ. The paper's threshold is in that package's tests.
	{"scq/ring.go", "return !before(head, r.limit.Load())", "return !before(head, r.tail.Load()-1)", "^TestMore|^TestLaws$"},
	{"scq/ring.go", "if old != round && before(t, r.head.Load())", "if false", "^TestUnsafe$"},
	{"scq/ring.go", "next := old &^ (r.none() + 1)", "next := old", "^TestDequeuerHeldUp$|^TestLaws$"},
	{"scq/ring.go", "next = mine&^(r.none()+1) | old&(r.none()+1)", "next = old", "^TestEnqueuerHeldUp$"},
	{"scq/ring.go", "if !before(round, r.blank(t)) || old&r.none() != r.none()", "if !before(round, r.blank(t))", "^TestDequeuerHeldUp$|^TestLaws$"},
	{"scq/ring.go", "if before(t, limit) ||", "if", "^TestUnpublished$|^TestLaws$"},
	{"scq/ring.go", "r.holes.Add(1)", "_ = 1", "^TestDequeuerHeldUp$"},
	{"scq/ring.go", "return int64(a-b) < 0", "return a < b", "^TestLaws$"},
	{"scq/scq.go", "v, q.slots[i] = q.slots[i], none", "v, _ = q.slots[i], none", "^TestLaws$"},
	// Segments.
	{"segment/pop.go", "if c.state.Swap(s.free+states) == s.free {", "if c.state.Load() == s.free {", "^TestRobbed$|^TestLaws$"},
	{"segment/pop.go", "q.tail.CompareAndSwap(s, next)", "_ = next", "^TestLaggingTail$"},
	{"segment/pop.go", "int(min(s.enq.Load(), size))-int(first)", "size-int(first)", "^TestLaws$"},
	{"segment/push.go", "n++ // else", "n++; continue // else", ""}, // no fault: the control
	{"segment/push.go", "\tc.value = *new(T)\n\treturn false", "\treturn false", "^TestRobbed$"},
	{"segment/push.go", "own.enq.Store(uint64(len(vs)))", "own.enq.Store(0)", "^TestLaws$"},
	{"segment/segment.go", "if s.spare {", "if false {", "^TestSpare$"},
	{"segment/segment.go", "s.free += states", "s.free += 0", "^TestLives$"},
	{"segment/segment.go", "func sever[T any](s *segment[T]) { s.next.Store(s) }", "func sever[T any](s *segment[T]) { s.next.Store(nil) }", "^TestStalled"},
	// The split deque.
	{"split/owner.go", "d.asked.Store(false) // before publishing", "// before publishing", "^TestTakesTheLast$|^TestBound$|^TestNothingHidden$|^TestAsked"},
	{"split/owner.go", "n = max(n, (private+1)/2)", "n = max(n, private/2)", "^TestAsked|^TestFirstIsPublic$"},
	{"split/owner.go", "if n < private {", "if false {", "^TestBound$"},
	{"split/owner.go", "d.window = 0 // nothing is public", "// nothing is public", "^TestFirstIsPublic$"},
	{"split/owner.go", "if d.word.CompareAndSwap(w, w-uint64(n)*splitOne) {", "if d.word.Store(w - uint64(n)*splitOne); true {", "^TestLaws"},
	{"split/owner.go", "n = private - Hidden/2", "n = 0", "^TestBound$"},
	{"split/thief.go", "d.done.Add(uint32(len(dst)))", "d.done.Add(uint32(len(dst) - 1))", "^TestLaws"},
	{"split/thief.go", "if s.deque.hides.Load() {", "if false {", "^TestBound$|^TestWatched$"},
	{"split/thief.go", "\t\t\tif most == left {\n\t\t\t\td.ask()\n\t\t\t}\n", "", "^TestTakesTheLast$"},
	{"split/ring.go", "if done != t {", "if false && done != t {", "^TestThiefHeldUp$"},
}

// TestMutants: the tests of these back ends see the faults, and pass without.
func TestMutants(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a test binary for each mutant")
	}
	for _, m := range mutants {
		name, _, _ := strings.Cut(m.good, "\n")
		t.Run(m.file+": "+strings.Trim(name, " \t{"), func(t *testing.T) {
			out, err := m.test(t)
			failed := strings.Contains(out, "--- FAIL") || strings.Contains(out, "panic: ") || strings.Contains(out, "fatal error: ")
			if m.run == "" && err != nil {
				t.Errorf("the control failed: %v\n%.2000s", err, out)
			}
			if m.run != "" && (err == nil || !failed) {
				t.Errorf("survived %s: %v\n%.2000s", m.run, err, out)
			}
			if first := regexp.MustCompile(`(?m)^ *--- FAIL: \S+/?.*|^panic: .*`).FindAllString(out, 4); first != nil {
				t.Log(strings.Join(first, "; "))
			}
		})
	}
}

// test runs the tests with the mutant in place of its file, which is not touched.
func (m mutant) test(t *testing.T) (string, error) {
	file, text := stress.Mutant(t, filepath.Join("..", m.file), m.good, m.bad)
	dir := t.TempDir()
	faulty := filepath.Join(dir, "faulty.go")
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {file: faulty}})
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{faulty: text,
		filepath.Join(dir, "overlay.json"): string(overlay)} {
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	// A fault may well be a loop without end: the time is a verdict, not an accident.
	cmd := exec.Command("go", "test", "-vet=off", "-count=1", "-timeout=20s", "-run", m.run,
		"-overlay", filepath.Join(dir, "overlay.json"), "./"+filepath.Base(filepath.Dir(file)))
	cmd.Dir = filepath.Dir(filepath.Dir(file))
	cmd.WaitDelay = time.Minute
	out, err := cmd.CombinedOutput()
	return string(out), err
}
