// Package leaks leaves goroutines behind.
package leaks

import (
	"github.com/exactlyonce/certify/soak"
	"github.com/exactlyonce/certify/soak/subjects/hostile"
)

// Executors has it.
func Executors() []soak.Executor {
	return hostile.Pool{AtOpen: func() {
		go func() { select {} }()
	}}.Executors("leaks", "a goroutine more each time it is made")
}
