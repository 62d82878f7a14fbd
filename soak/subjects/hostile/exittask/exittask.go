// Package exittask ends the process, as if all were well, after a task.
package exittask

import (
	"os"

	"github.com/exactlyonce/certify/soak"
	"github.com/exactlyonce/certify/soak/subjects/hostile"
)

// Executors has it.
func Executors() []soak.Executor {
	return hostile.Pool{AfterTask: func() { os.Exit(0) }}.Executors("exittask", "a task calls os.Exit(0)")
}
