// Package hangclose has a pool whose Close never returns.
package hangclose

import (
	"github.com/exactlyonce/certify/soak"
	"github.com/exactlyonce/certify/soak/subjects/hostile"
)

// Executors has it.
func Executors() []soak.Executor {
	return hostile.Pool{AtClose: func() { select {} }}.Executors("hangclose", "Close hangs")
}
