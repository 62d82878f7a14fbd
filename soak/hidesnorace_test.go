package soak_test

import (
	"testing"

	"github.com/exactlyonce/certify/internal/stress"
)

// TestSoakHidesNoRace: what the soak does around the tasks of a pool orders nothing
// between them. The detector sees a race in the pool that any order would hide, as
// the same pool shows with a counter that all tasks have in common.
func TestSoakHidesNoRace(t *testing.T) {
	stress.Watchdog(t)
	reported := stress.RaceProgram(t, "./testdata/unordered", "done: CERTIFIED <nil>")
	const tries = 5
	hidden := 0
	for range tries {
		if !reported("bare") {
			t.Fatal("the soak hides a race")
		}
		if !reported("ordered") {
			hidden++
		}
	}
	t.Logf("with the counter, the race was not reported in %d of %d runs", hidden, tries)
	if hidden == 0 {
		t.Error("the counter hid nothing: the program does not show what it is for")
	}
}
