package campaign

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/exactlyonce/certify/reports/record"
	"github.com/exactlyonce/certify/soak"
	"github.com/exactlyonce/certify/soak/child"
	"github.com/exactlyonce/certify/soak/explore/survey"
)

// explorers are roles of the test binary as an explorer: what it prints, and its exit
// code.
var explorers = map[string]struct {
	out  string
	code int
	want record.Reason
}{
	"explorer passes":    {passedLine + passedLine, 0, ""},
	"explorer loses":     {passedLine + failedLine("wrong", "item 3 is lost:"), 1, record.Lost},
	"explorer repeats":   {failedLine("wrong", "item 3 came out 1 times too often"), 1, record.Duplicated},
	"explorer lies":      {failedLine("wrong", "no order of the calls explains"), 1, record.Contract},
	"explorer hoards":    {failedLine("wrong", "node 1 was never reclaimed, though nobody is pinned"), 1, record.Memory},
	"explorer deadlocks": {failedLine("deadlock", "a waits for b"), 1, record.Stall},
	"explorer panics":    {failedLine("panicked", "index out of range"), 1, record.Crash},
	"explorer invalid":   {`{"backend":"b","scenario":"Pp|1","verdict":"invalid","invalid":"a map"}` + "\n", 1, record.Crash},
	"explorer silent":    {"", 0, record.Crash},
	"explorer dies":      {"panic: at once\n", 2, record.Crash},
}

const passedLine = `{"backend":"b","scenario":"Pp|1","verdict":"passed","executions":5,"exhausted":true}` + "\n"

func failedLine(verdict, failure string) string {
	return fmt.Sprintf(`{"backend":"b","scenario":"PPp|1","verdict":%q,"executions":2,"failure":%q,"schedule":"a1b2","smallest":"Pp|1","trace":"a table"}`+"\n", verdict, failure)
}

// playExplorer ends the process in the role of an explorer.
func playExplorer(role string) {
	e := explorers[role]
	fmt.Print(e.out)
	os.Exit(e.code)
}

// TestExplore: what an explorer prints is the verdict on a back end; whatever else it
// does is none.
func TestExplore(t *testing.T) {
	for role, e := range explorers {
		p := plan(1, goroutines(2, 9))
		p.Explorations = []Cell{{Drill: ExploreDrill, Subject: soak.SubjectName{Kind: soak.WorkStealingName, Deque: "chaselev"}, Size: survey.Quick}}
		if err := p.Validate(); err != nil {
			t.Fatal(err)
		}
		c, _ := setUp(t, role, p)
		binary, err := os.ReadFile(os.Args[0])
		if err == nil {
			err = os.WriteFile(c.Dir.Path(ExplorerFile), binary, 0o755)
		}
		if err == nil {
			err = os.WriteFile(c.Dir.Path(SitesFile), []byte("5 7\n"), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
		records, err := c.Run(t.Context())
		if err != nil || len(records) == 0 {
			t.Fatal(role, records, err)
		}
		r := records[0]
		if r.Reason != e.want || r.Key.Drill != ExploreDrill || r.Repeat == "" || r.Log == "" {
			t.Errorf("%s: %+v", role, r)
		}
		if e.want == "" && !slices.Contains(r.Values, record.Value{Unit: "executions", Value: 10}) || e.want == record.Lost && !strings.Contains(r.Detail, "a table") {
			t.Errorf("%s: %v %s", role, r.Values, r.Detail)
		}
	}
}

// TestExplorations: each back end once, whatever it is paired with.
func TestExplorations(t *testing.T) {
	cells := []Cell{workStealing("msqueue", "mutex"), workStealing("msqueue", "chaselev"), goroutines(2, 9)}
	p := plan(1, cells...)
	p.Explorations = Explorations(cells, survey.Standard)
	var keys []string
	for _, e := range p.Explorations {
		keys = append(keys, p.Key(e).String())
	}
	want := []string{
		"explore/injector=msqueue/each=2/executions=20000/mode=controlled",
		"explore/deque=mutex/length=6/executions=20000/mode=controlled",
		"explore/deque=chaselev/length=6/executions=20000/mode=controlled",
		"explore/reclaimer=epoch/word=4/pair=6/executions=20000/mode=controlled",
		"explore/protocol=parking/executions=20000/mode=controlled",
		"explore/protocol=lifecycle/executions=20000/mode=controlled",
		"explore/protocol=gate/executions=20000/mode=controlled",
	}
	if !slices.Equal(keys, want) {
		t.Errorf("got %q, want %q", keys, want)
	}
	for i, want := range map[int]string{
		0: "certify explore --injector msqueue --deque none --length 6 --each 2 --executions 20000",
		1: "certify explore --deque mutex --injector none --length 6 --each 2 --executions 20000",
		3: "certify explore --reclaimer epoch --word 4 --pair 6 --executions 20000",
		4: "certify explore --protocol parking --executions 20000",
	} {
		if got := p.repeatExplore(p.Explorations[i]); got != want {
			t.Errorf("repeated by %s, want %s", got, want)
		}
	}
	if none := Explorations([]Cell{goroutines(2, 9)}, survey.Quick); none != nil {
		t.Errorf("nothing of ours is explored: %v", none)
	}
}

// TestReclaimerCanaries: each has a key of its own, and what must catch it; of the
// control nothing.
func TestReclaimerCanaries(t *testing.T) {
	p, controls := plan(1, goroutines(2, 9)), 0
	p.Canaries, p.CanaryReps = Canaries(2), 1
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	all := reclaimerCanaries()
	for _, c := range all {
		if kind, _ := c.explored(); kind != survey.Reclaimer || !strings.HasPrefix(p.Key(c.Cell).String(), "explore/canary="+c.Subject.Name+"/word=3/pair=5/") {
			t.Errorf("%s is a %s", p.Key(c.Cell), kind)
		}
		if (c.Fault == "") != (len(c.Killers) == 0) {
			t.Errorf("%+v", c)
		}
		if len(c.Killers) == 0 {
			controls++
		}
	}
	if len(all) < 9 || controls != 1 {
		t.Errorf("%d reclaimers, %d controls", len(all), controls)
	}
}

// TestEnough: a pass in which nothing of interest happened is none.
func TestEnough(t *testing.T) {
	met := survey.Sum{Scenarios: 1, Counts: map[string]int{"reclaimed": 3, "reclaimed-under-a-pin": 1, "reused": 1}}
	reclaimer := Cell{Drill: ExploreDrill, Subject: soak.SubjectName{Kind: survey.Reclaimer, Name: "epoch"}}
	parking := Cell{Drill: ExploreDrill, Subject: soak.SubjectName{Kind: survey.Protocol, Name: "parking"}}
	queue := Cell{Drill: ExploreDrill, Subject: soak.SubjectName{Kind: soak.WorkStealingName, Deque: "chaselev"}}
	for _, row := range []struct {
		cell Cell
		sum  survey.Sum
		want record.Reason
	}{{reclaimer, met, ""}, {reclaimer, survey.Sum{Scenarios: 1}, record.Floor}, {parking, met, record.Floor}, {queue, survey.Sum{Scenarios: 1}, ""}} {
		if r := row.cell.enough(row.sum); r.reason != row.want {
			t.Errorf("%v of %v: %+v", row.cell, row.sum, r)
		}
	}
}

// TestBuildExplorer: once, and not for a plan that explores nothing.
func TestBuildExplorer(t *testing.T) {
	if testing.Short() {
		t.Skip("builds an explorer")
	}
	dir := t.TempDir()
	p := plan(1, goroutines(2, 9))
	if sha, err := BuildExplorer(t.Context(), p, dir); sha != "" || err != nil {
		t.Errorf("nothing to explore: %q, %v", sha, err)
	}
	p.Explorations = Explorations([]Cell{workStealing("mutex", "mutex")}, survey.Quick)
	first, err := BuildExplorer(t.Context(), p, dir)
	if err != nil || len(first) != 64 {
		t.Fatal(first, err)
	}
	before, err := os.Stat(filepath.Join(dir, ExplorerFile))
	if err != nil {
		t.Fatal(err)
	}
	again, err := BuildExplorer(t.Context(), p, dir)
	after, _ := os.Stat(filepath.Join(dir, ExplorerFile))
	if again != first || err != nil || !after.ModTime().Equal(before.ModTime()) {
		t.Errorf("built again: %q, %v", again, err)
	}
}

// TestRareCanaries: each is caught by the explorer that a run has, by what it breaks,
// and the controls are not.
func TestRareCanaries(t *testing.T) {
	if testing.Short() {
		t.Skip("builds an explorer")
	}
	p := plan(1, goroutines(2, 9))
	p.Canaries, p.CanaryReps = rareCanaries(), 1
	dir := t.TempDir()
	if _, err := BuildExplorer(t.Context(), p, dir); err != nil {
		t.Fatal(err)
	}
	for _, c := range p.Canaries {
		kind, name := c.explored()
		cmd := exec.Command(filepath.Join(dir, ExplorerFile), c.Size.Args(kind, name)...)
		out, _ := cmd.Output()
		var r record.Record
		got := evidence{exit: child.Exit{Cause: child.Exited}}.explored(p, c.Cell, out, &r)
		if caught := record.Caught(c.Killers, got.verdict, got.reason); caught != (len(c.Killers) > 0) {
			t.Errorf("%s %s: %s, want one of %v: %.300s", kind, name, got.reason, c.Killers, got.detail)
		}
	}
}
