// Package exitinit ends the process in its init, as if all were well.
package exitinit

import (
	"os"

	"github.com/exactlyonce/certify/soak"
	"github.com/exactlyonce/certify/soak/subjects/hostile"
)

func init() { os.Exit(0) }

// Executors has it.
func Executors() []soak.Executor {
	return hostile.Pool{}.Executors("exitinit", "init calls os.Exit(0)")
}
