// Package counts counts its tasks where all of them write, and with nothing that orders
// them. What they return is right each time.
package counts

import (
	"github.com/exactlyonce/certify/soak"
	"github.com/exactlyonce/certify/soak/subjects/hostile"
)

// Executors has it.
func Executors() []soak.Executor {
	tasks := 0
	return hostile.Pool{AfterTask: func() { tasks++ }}.Executors("counts", "a counter without a lock")
}
