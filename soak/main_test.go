package soak_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"
)

// watchdog turns a hang into a failure that shows where everybody is.
func watchdog(t *testing.T) {
	t.Helper()
	timer := time.AfterFunc(2*time.Minute, func() {
		buf := make([]byte, 1<<20)
		panic(fmt.Sprintf("%s hangs\n%s", t.Name(), buf[:runtime.Stack(buf, true)]))
	})
	t.Cleanup(func() { timer.Stop() })
}
