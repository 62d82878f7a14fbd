//go:build unix

// Package closes closes the file descriptors 0 to 10 of its process.
package closes

import (
	"syscall"

	"github.com/exactlyonce/certify/soak"
	"github.com/exactlyonce/certify/soak/subjects/hostile"
)

// Executors has it.
func Executors() []soak.Executor {
	return hostile.Pool{AtOpen: cut}.Executors("closes", "it closes descriptors that are not its own")
}

func cut() {
	for fd := range 11 {
		_ = syscall.Close(fd) // some are not open
	}
}
