// Package prints prints 50 MB to its standard output and as much to its standard error.
package prints

import (
	"bytes"
	"os"

	"github.com/exactlyonce/certify/soak"
	"github.com/exactlyonce/certify/soak/subjects/hostile"
)

// Executors has it.
func Executors() []soak.Executor {
	return hostile.Pool{AtOpen: shout}.Executors("prints", "it prints 100 MB")
}

func shout() {
	line := append(bytes.Repeat([]byte("all is well \x1b[2J"), 1<<16), '\n')
	for range 50 << 20 / len(line) {
		_, _ = os.Stdout.Write(line) // nothing else is meant
		_, _ = os.Stderr.Write(line)
	}
}
