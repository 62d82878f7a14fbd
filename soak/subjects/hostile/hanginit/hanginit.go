// Package hanginit never ends its init.
package hanginit

import (
	"time"

	"github.com/exactlyonce/certify/soak"
	"github.com/exactlyonce/certify/soak/subjects/hostile"
)

func init() {
	for { // not select, which the runtime would call a deadlock
		time.Sleep(time.Hour)
	}
}

// Executors has it.
func Executors() []soak.Executor {
	return hostile.Pool{}.Executors("hanginit", "init hangs")
}
