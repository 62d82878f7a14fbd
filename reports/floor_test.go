package reports_test

import (
	"testing"

	"github.com/exactlyonce/certify/reports"
	"github.com/exactlyonce/certify/reports/record"
)

// TestFloors: a clean key that saw too little is inconclusive, of all repetitions
// together; what a subject does not count cannot be asked of it; a failure stays one.
func TestFloors(t *testing.T) {
	floor := []reports.Floor{{Unit: "steals", Least: 100}}
	for name, row := range map[string]struct {
		values []float64
		unit   string
		floors []reports.Floor
		fails  bool
		want   record.Reason
	}{
		"reached":          {[]float64{60, 40}, "steals", floor, false, ""},
		"below":            {[]float64{60, 39}, "steals", floor, false, record.Floor},
		"none at all":      {[]float64{0, 0}, "steals", floor, false, record.Floor},
		"not counted":      {[]float64{1}, "other", floor, false, ""},
		"no floors":        {[]float64{0}, "steals", nil, false, ""},
		"failed and below": {[]float64{0}, "steals", floor, true, record.Lost},
	} {
		g := memoryGroup(row.unit, row.values...)
		g.Floors = row.floors
		if row.fails {
			g.Planned++
			g.Records = append(g.Records, record.Record{Key: g.Key, Rep: g.Planned, Verdict: record.Failed, Reason: record.Lost})
		}
		_, reason := g.Verdict()
		if _, whole := reports.Judge([]reports.Group{g}, g.Records); reason != row.want || whole != row.want {
			t.Errorf("%s: %s, the run %s, want %s", name, reason, whole, row.want)
		}
	}
}
