package certify_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/exactlyonce/certify/hardening/recorded"
)

// load reads a record.
func load(t *testing.T, name string, v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(read(t, "hardening/recorded/"+name)), v); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// TestHardening holds README.md's page of what was survived and caught against the
// records of the runs.
func TestHardening(t *testing.T) {
	golden(t, "hardening", faultsTable(t)+"\n"+loadLine(t)+"\n"+fuzzLine(t)+"\n"+subjectsTable(t))
}

// loadLine is what one process went through.
func loadLine(t *testing.T) string {
	var r struct {
		recorded.Head
		Tasks     int
		Faults    []any
		Seconds   float64
		Executors struct{ All, Stopped int }
		Ends      struct{ Panics, Goexits int }
		Heap      struct {
			First int `json:"first_third_bytes"`
			Last  int `json:"last_third_bytes"`
		}
		Goroutines struct{ Before, After int }
	}
	load(t, "load.json", &r)
	return fmt.Sprintf("`go run ./hardening/load` (%s): %d tasks in one process in %.0f s, in %d executors, of which %d were stopped with work queued; "+
		"%d panics, %d calls of Goexit; %d faults. Live heap %d KiB in the first third, %d KiB in the last; goroutines %d before, %d after.\n",
		r, r.Tasks, r.Seconds, r.Executors.All, r.Executors.Stopped, r.Ends.Panics, r.Ends.Goexits, len(r.Faults),
		r.Heap.First>>10, r.Heap.Last>>10, r.Goroutines.Before, r.Goroutines.After)
}

// fuzzLine is how long the parsers were fuzzed.
func fuzzLine(t *testing.T) string {
	var r struct {
		recorded.Head
		Targets []struct {
			Name, Package   string
			Minutes         float64
			Execs, Findings int
		}
	}
	load(t, "fuzz.json", &r)
	minutes, execs, found := 0.0, 0, "nothing"
	for _, target := range r.Targets {
		minutes, execs = minutes+target.Minutes, execs+target.Execs
		if target.Findings > 0 {
			found = strings.TrimPrefix(found+", ", "nothing, ") + fmt.Sprintf("%d by %s in %s", target.Findings, target.Name, target.Package)
		}
	}
	return fmt.Sprintf("`hardening/fuzz.sh` (%s): %d targets, %.1f minutes together, %d executions; found: %s.\n",
		r, len(r.Targets), minutes, execs, found)
}

// faultsTable is the campaign against the command.
func faultsTable(t *testing.T) string {
	var r struct {
		recorded.Head
		Faults []struct {
			What            string
			Tried, Survived int
			Seconds         float64
		}
	}
	load(t, "faults.json", &r)
	var b strings.Builder
	fmt.Fprintf(&b, "`go run ./hardening/faults` against the command (%s):\n\n| fault | tried | survived | seconds |\n|---|---|---|---|\n", r)
	for _, f := range r.Faults {
		fmt.Fprintf(&b, "| %s | %d | %d | %.0f |\n", f.What, f.Tried, f.Survived, f.Seconds)
	}
	return b.String()
}

// subjectsTable is what was said of public modules.
func subjectsTable(t *testing.T) string {
	var r struct {
		recorded.Head
		Subjects []struct {
			Module, Subject, Drill, Verdict, Reason string
			Seconds                                 float64
		}
	}
	load(t, "subjects.json", &r)
	var b strings.Builder
	fmt.Fprintf(&b, "`go test -record` in soak/subjects, public modules as they are published (%s):\n\n", r)
	b.WriteString("| module | subject | drill | verdict | seconds |\n|---|---|---|---|---|\n")
	var lines []string
	for _, s := range r.Subjects {
		verdict := s.Verdict
		if s.Reason != "" {
			verdict += " (" + s.Reason + ")"
		}
		lines = append(lines, fmt.Sprintf("| %s | %s | %s | %s | %.1f |\n", s.Module, s.Subject, s.Drill, verdict, s.Seconds))
	}
	slices.Sort(lines)
	b.WriteString(strings.Join(lines, ""))
	return b.String()
}
