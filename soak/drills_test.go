package soak_test

import (
	"testing"

	"github.com/exactlyonce/certify/internal/stress"
	"github.com/exactlyonce/certify/soak"
)

// Every drill but exactly-once, which TestExactlyOnce runs, passes on every
// pair of back ends, briefly.
func TestDrillsPass(t *testing.T) {
	for _, d := range soak.Drills() {
		if d.Name == soak.ExactlyOnce {
			continue
		}
		t.Run("drill="+d.Name, func(t *testing.T) {
			pairs(t, func(t *testing.T, e soak.Executor) {
				stress.Watchdog(t)
				soak.Run(t, e, soak.Spec{Drill: d.Name, Tasks: max(d.Tasks/50, 10), Workers: 2})
			})
		})
	}
}
