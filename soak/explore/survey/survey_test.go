package survey

import (
	"bytes"
	"errors"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// TestSurvey: of an explorer of good back ends and bad ones, each kind by itself.
func TestSurvey(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	bin := filepath.Join(t.TempDir(), "explorer.exe")
	r, err := Build(t.Context(), ".", bin, Packages{[]string{module + "queues/mutex", module + "soak/faulty/flawed"}, []string{module + "soak/faulty/flawed"}})
	if err != nil || len(r.Packages) == 0 {
		t.Fatal(r, err)
	}
	for _, row := range []struct {
		kind string
		name string
		good bool
	}{
		{Deque, "mutex", true}, {Injector, "mutex", true},
		{Deque, "textbook", true}, {Deque, "uncontested", false}, {Injector, "gap", false},
		{Reclaimer, "epoch", true}, {Reclaimer, "epochs", true}, {Reclaimer, "one-epoch", false}, {Reclaimer, "leaky", false},
		{Protocol, "parking", true}, {Protocol, "lifecycle", true}, {Protocol, "gate", true},
	} {
		out, _ := exec.Command(bin, Quick.Args(row.kind, row.name)...).Output()
		sum, err := Read(bytes.NewReader(out))
		if err != nil || sum.Scenarios == 0 || (sum.Failed == nil) != row.good {
			t.Errorf("%s %s: %+v, %v", row.kind, row.name, sum, err)
		}
		if sum.Failed != nil && (sum.Failed.Trace == "" || sum.Failed.Schedule == "") {
			t.Errorf("%s: nothing to look at: %+v", row.name, sum.Failed)
		}
		if missing := sum.Missing(row.kind, row.name); row.good && missing != nil {
			t.Errorf("%s %s: nothing was %v in %+v", row.kind, row.name, missing, sum)
		}
		t.Logf("%s %s: %d programs, %d exhausted, %d executions in %.2f s, %v", row.kind, row.name, sum.Scenarios, sum.Exhausted, sum.Executions, sum.Seconds, sum.Counts)
	}
}

func TestRead(t *testing.T) {
	sum, err := Read(strings.NewReader(`{"backend":"b","scenario":"Pp|1","verdict":"passed","executions":5,"exhausted":true,"seconds":0.5}
{"backend":"b","scenario":"PP|1","verdict":"passed","executions":7,"within_preemptions":3,"seconds":0.25}
{"backend":"b","scenario":"PPp|1","verdict":"passed","executions":1,"within_preemptions":2}
`))
	if want := (Sum{Scenarios: 3, Exhausted: 1, Within: 2, Executions: 13, Seconds: 0.75}); err != nil || !reflect.DeepEqual(sum, want) {
		t.Errorf("got %+v, %v, want %+v", sum, err, want)
	}
	for _, bad := range []string{"panic: x", `{"backend":"b"}`, `{"backend":`, "[]"} {
		if _, err := Read(strings.NewReader(bad)); !errors.Is(err, ErrOutput) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if sum, err := Read(strings.NewReader("")); err != nil || sum.Scenarios != 0 {
		t.Errorf("nothing: %+v, %v", sum, err)
	}
}

func TestBuildErrors(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	if _, err := Build(t.Context(), ".", filepath.Join(t.TempDir(), "x"), Packages{Backends: []string{"example.com/none"}}); err == nil {
		t.Error("a package that is not there: built")
	}
}
