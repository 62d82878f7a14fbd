package soak_test

import (
	"testing"

	"github.com/exactlyonce/certify/internal/stress"
)

// TestSoakHidesNoRace: what the soak does around the tasks of a pool orders nothing
// between them. The detector sees a race in the pool that any order would hide, as
// the same pool shows with a counter that all tasks have in common.
func TestSoakHidesNoRace(t *testing.T) {
	stress.HidesNoRace(t, "./testdata/unordered", "done: CERTIFIED <nil>", "bare", "ordered")
}
