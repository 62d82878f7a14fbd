package reports_test

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/exactlyonce/certify/reports"
	"github.com/exactlyonce/certify/reports/record"
	"github.com/exactlyonce/certify/reports/rundir"
)

func canaryKey(name string) record.Key {
	return record.Key{Drill: "panic", Params: []record.Param{{Name: record.CanaryParam, Value: name}}}
}

// canaryRun has a canary, a control and a subject, which ended for these reasons;
// empty is clean.
func canaryRun(t *testing.T, canary, control, subject []record.Reason) (*reports.Run, error) {
	t.Helper()
	key := record.Key{Drill: "exactly-once"}
	plan, err := json.Marshal(reports.Plan{
		Keys: []record.Key{key}, First: 1, Reps: 2, CanaryReps: 2, CanaryKeys: []record.Key{canaryKey("bad"), canaryKey("good")},
		Canaries: []reports.PlannedCanary{{Killers: []record.Reason{record.Stall, record.Lost}, Fault: "is bad"}, {}},
	})
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "run")
	d, err := rundir.Create(dir, rundir.Origin{Run: "run", Plan: plan, Env: []byte("{}")})
	for _, of := range []struct {
		key     record.Key
		reasons []record.Reason
	}{{canaryKey("bad"), canary}, {canaryKey("good"), control}, {key, subject}} {
		for i, reason := range of.reasons {
			if err == nil {
				err = d.Append(record.Record{Key: of.key, Rep: i + 1, Verdict: reason.Verdict(), Reason: reason, Start: time.Unix(1, 0)})
			}
		}
	}
	if err := errors.Join(err, d.Close()); err != nil {
		t.Fatal(err)
	}
	return reports.Load(dir)
}

// TestCanaries: one that is never caught, or a control that is, makes a clean run
// inconclusive; a failure of the subject is one all the same. Records of canaries
// are not the subject's.
func TestCanaries(t *testing.T) {
	type r = []record.Reason
	clean := r{"", ""}
	for name, row := range map[string]struct {
		canary, control, subject r
		want                     record.Reason
	}{
		"caught":                  {r{record.Stall, record.Lost}, clean, clean, ""},
		"caught once":             {r{"", record.Lost}, clean, clean, ""},
		"survived":                {clean, clean, clean, record.Canary},
		"died of something else":  {r{record.Crash, record.Race}, clean, clean, record.Canary},
		"the control died":        {r{record.Stall, record.Stall}, r{"", record.Crash}, clean, record.Canary},
		"the subject failed":      {r{record.Stall, record.Stall}, clean, r{"", record.Lost}, record.Lost},
		"failed, and survived":    {clean, clean, r{record.Lost}, record.Lost},
		"survived, nothing else":  {clean, clean, nil, record.Canary},
		"not all had their turn":  {r{record.Stall}, clean, clean, record.Samples},
		"not one had":             {nil, nil, nil, record.Samples},
		"the guard tripped":       {r{record.Guard}, nil, nil, record.Guard},
		"the subject's was short": {r{record.Stall, record.Stall}, clean, r{""}, record.Samples},
	} {
		run, err := canaryRun(t, row.canary, row.control, row.subject)
		if err != nil {
			t.Fatal(err)
		}
		verdict := record.Certified
		if row.want != "" {
			verdict = row.want.Verdict()
		}
		if run.Reason != row.want || run.Verdict != verdict {
			t.Errorf("%s: %v (%s), want %s", name, run.Verdict, run.Reason, row.want)
		}
		if len(run.Records) != len(row.subject) || len(run.Canaries) != 2 || run.Canaries[1].Control() != true {
			t.Errorf("%s: %d records, canaries %+v", name, len(run.Records), run.Canaries)
		}
	}
}

// TestCanaryUnknown: a canary that was not planned is of another run.
func TestCanaryUnknown(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	plan, _ := json.Marshal(reports.Plan{Keys: []record.Key{{Drill: "panic"}}, First: 1, Reps: 1})
	d, err := rundir.Create(dir, rundir.Origin{Run: "run", Plan: plan, Env: []byte("{}")})
	if err == nil {
		err = d.Append(record.Record{Key: canaryKey("bad"), Rep: 1, Verdict: record.Certified, Start: time.Unix(1, 0)})
	}
	if err := errors.Join(err, d.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := reports.Load(dir); err == nil {
		t.Error("accepted")
	}
}
