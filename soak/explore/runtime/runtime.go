// Package runtime stands in for those functions of package runtime that decide
// who runs. Everything else of runtime stays what it is: a program that is
// explored goes on to import it.
package runtime

import (
	"runtime"

	"github.com/exactlyonce/certify/soak/explore/control"
)

// Gosched lets others run. A thread that comes to it for the second time
// without a store by anybody waits for one.
func Gosched() {
	if !control.Yield() {
		runtime.Gosched()
	}
}

// Goexit ends the thread, or goroutine, after its deferred calls. In a thread
// they can see it as a panic.
func Goexit() {
	control.Exit()
	runtime.Goexit()
}
