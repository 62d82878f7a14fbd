package campaign

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/exactlyonce/certify/reports/record"
	"github.com/exactlyonce/certify/soak"
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
			err = os.WriteFile(c.Dir.Path(sitesFile), []byte("7"), 0o644)
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
	}
	if !slices.Equal(keys, want) {
		t.Errorf("got %q, want %q", keys, want)
	}
	if got := p.Explorations[1].repeatExplore(); got != "certify explore --deque mutex --injector none --length 6 --each 2 --executions 20000" {
		t.Errorf("repeated by %s", got)
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
