package child

import (
	"io"
	"os"
)

// WatchParent makes a child of Run end when the process that ran it is gone:
// the child calls it first thing. It and everything it started are killed,
// and no code of theirs runs any more. WatchParent reports whether it
// watches: in a process that somebody started by hand it does not, however
// standard input ends there.
//
// It takes standard input, and leaves a goroutine that never ends: take
// goleak.IgnoreCurrent after it. While it reads, the runtime no longer
// reports "all goroutines are asleep"; a deadline of Run does instead.
func WatchParent() bool {
	mark := os.Getenv(watchEnv)
	if mark == "" || !leads() {
		return false
	}
	info, err := os.Stdin.Stat()
	if err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		return false
	}
	go dieWithParent(mark)
	return true
}

func dieWithParent(mark string) {
	// An error tells the same as the end: nobody is there any more.
	_, _ = io.Copy(io.Discard, os.Stdin)
	killSelf(mark)
	os.Exit(1)
}
