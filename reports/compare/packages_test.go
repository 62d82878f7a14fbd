package compare

import (
	"strings"
	"testing"
)

// Two packages, or two configurations, that have a benchmark of one name: each row is
// compared with the one of its own, and one that has no other is not compared at all.
func TestSameNameElsewhere(t *testing.T) {
	text := func(key string, a, b float64) string {
		return key + ": one\n" + results("X", "ns/op", around(a, 10)...) + key + ": two\n" + results("X", "ns/op", around(b, 10)...)
	}
	for _, key := range []string{"pkg", "note", "goos"} {
		// Compared across, one row would be twice as slow and the other twice as fast.
		r := arms(t, Options{}, text(key, 100, 200), text(key, 100, 200))
		rows := 0
		for _, table := range r.Tables {
			for _, row := range table.Rows {
				rows++
				if v := row.Cells[1].Verdict; v != Same {
					t.Errorf("%s: %s", key, v)
				}
			}
		}
		if rows != 2 {
			t.Errorf("%s: %d rows, want 2", key, rows)
		}
		alone := arms(t, Options{}, text(key, 100, 200), key+": two\n"+results("X", "ns/op", around(200, 10)...))
		if notes := strings.Join(alone.Notes, "\n"); !strings.Contains(notes, "rows compared: 1; only in old: 1; only in new: 0") {
			t.Errorf("%s: %s", key, notes)
		}
	}
}
