// Package kills kills its own process.
package kills

import (
	"os"

	"github.com/exactlyonce/certify/soak"
	"github.com/exactlyonce/certify/soak/subjects/hostile"
)

// Executors has it.
func Executors() []soak.Executor {
	return hostile.Pool{AfterTask: kill}.Executors("kills", "a task kills the process")
}

func kill() {
	if p, err := os.FindProcess(os.Getpid()); err == nil {
		_ = p.Kill() // it returns to nobody
	}
}
