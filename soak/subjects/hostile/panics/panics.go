// Package panics panics where nobody can recover.
package panics

import (
	"github.com/exactlyonce/certify/soak"
	"github.com/exactlyonce/certify/soak/subjects/hostile"
)

// Executors has it.
func Executors() []soak.Executor {
	return hostile.Pool{AtOpen: func() {
		go func() { panic("on a goroutine of the pool") }()
	}}.Executors("panics", "a goroutine of its own panics")
}
