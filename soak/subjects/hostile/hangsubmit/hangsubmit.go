// Package hangsubmit has a pool whose Submit never returns.
package hangsubmit

import (
	"github.com/exactlyonce/certify/soak"
	"github.com/exactlyonce/certify/soak/subjects/hostile"
)

// Executors has it.
func Executors() []soak.Executor {
	return hostile.Pool{AtSubmit: func() { select {} }}.Executors("hangsubmit", "Submit hangs")
}
