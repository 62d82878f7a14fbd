// Package hangopen has a pool that cannot be made, and does not say so.
package hangopen

import (
	"github.com/exactlyonce/certify/soak"
	"github.com/exactlyonce/certify/soak/subjects/hostile"
)

// Executors has it.
func Executors() []soak.Executor {
	return hostile.Pool{AtOpen: func() { select {} }}.Executors("hangopen", "making it hangs")
}
