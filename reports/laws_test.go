package reports

import (
	"math"
	"strings"
	"testing"

	"github.com/exactlyonce/certify/reports/record"
)

// TestHistories: what was judged, as what, and what was left out, is in the section
// and among the limits; a key without laws is in neither.
func TestHistories(t *testing.T) {
	laws := &Laws{Criterion: "FIFO", Rules: []Rule{{Name: "order"}, {Name: "empty", Omitted: "EMPTY is declared weak"}}}
	judged := Group{Key: record.Key{Drill: "injector"}, Planned: 2, Laws: laws}
	for rep, rows := range []float64{100, 50} {
		judged.add(record.Record{Rep: rep + 1, Verdict: record.Certified, Values: []record.Value{{Unit: "rows", Value: rows}, {Unit: "monitor-ns", Value: 2e6}}})
	}
	r := &Run{Groups: []Group{judged, {Key: record.Key{Drill: "panic"}, Planned: 1}}}
	blocks := histories(r)
	if len(blocks) != 2 {
		t.Fatalf("%d blocks", len(blocks))
	}
	rows := blocks[1].(*Table).Rows
	if len(rows) != 1 || rows[0].Cells[1].Text != "FIFO" || rows[0].Cells[2].Value != 150 || rows[0].Cells[5].Text != "order" {
		t.Errorf("%+v", rows)
	}
	if text := strings.Join(r.Limits(), "\n"); !strings.Contains(text, "injector were not held against: empty (EMPTY is declared weak)") || strings.Contains(text, "panic were") {
		t.Errorf("limits: %s", text)
	}
	if r.Groups = r.Groups[1:]; histories(r) != nil {
		t.Error("a section of nothing")
	}
}

// TestPower: of no repetitions nothing, and of a hundred what tables of the binomial
// distribution say.
func TestPower(t *testing.T) {
	for _, row := range []struct {
		n    int
		rate float64
		want float64
	}{{0, 0.5, 0}, {-1, 0.5, 0}, {1, 0.03, 0.03}, {100, 0.03, 0.9524}, {100, 0.01, 0.6340}} {
		if got := record.Power(row.n, row.rate); math.Abs(got-row.want) > 5e-5 {
			t.Errorf("%d of %v: %v, want %v", row.n, row.rate, got, row.want)
		}
	}
}
