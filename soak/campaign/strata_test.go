package campaign

import (
	"slices"
	"testing"

	"github.com/exactlyonce/certify/soak"
)

// TestStrata: every cell of exactly-once is there under each load, once, and makes
// sense; other drills are left alone.
func TestStrata(t *testing.T) {
	other := goroutines(2, 500)
	other.Drill = "panic"
	base := workStealing("msqueue", "chaselev")
	base.Tasks, base.Batch = 1_000_000, 4096
	cells := WithStrata([]Cell{base, other})
	if got := cells[:2]; !slices.Equal(got, []Cell{base, other}) {
		t.Errorf("begins with %v", got)
	}
	p := plan(1, cells...)
	p.Cells[1].Subject = base.Subject // goroutines do not fit panic
	if err := p.Validate(); err != nil {
		t.Error(err)
	}
	bursts, disturbed := map[int]bool{}, map[string]bool{}
	for _, c := range cells[2:] {
		if c.Drill != soak.ExactlyOnce || c.Tasks > strataTasks || !c.Stratum || len(c.floors()) > 0 {
			t.Errorf("stratum %+v", c)
		}
		bursts[c.Batch], disturbed[c.Perturb] = true, true
	}
	for _, b := range []int{1, 8, 64, 1024} {
		if !bursts[b] {
			t.Errorf("no burst of %d", b)
		}
	}
	if len(disturbed) != len(soak.Perturbations())+1 {
		t.Errorf("disturbed by %v", disturbed)
	}
	if again := WithStrata(cells[:1]); len(again) != len(cells)-1 {
		t.Errorf("%d cells alone, %d beside another drill", len(again), len(cells)-1)
	}
}

// TestHistories: the bare queues stand beside the cells of exactly-once, once, where
// the queues can be had.
func TestHistories(t *testing.T) {
	base := workStealing("msqueue", "chaselev")
	base.Tasks, base.Batch = 1_000_000, 4096
	cells := WithHistories([]Cell{base, goroutines(2, 500)})
	if len(cells) != 4 {
		t.Fatalf("%d cells: %+v", len(cells), cells)
	}
	for i, drill := range soak.HistoryDrills() {
		if c := cells[2+i]; c.Drill != drill || c.Subject != base.Subject || c.Tasks != historyTasks || c.Stratum || len(c.floors()) == 0 {
			t.Errorf("%s: %+v", drill, c)
		}
	}
	if err := plan(1, cells...).Validate(); err != nil {
		t.Error(err)
	}
	if again := WithHistories(cells); !slices.Equal(again, cells) {
		t.Errorf("again: %+v", again)
	}
}
