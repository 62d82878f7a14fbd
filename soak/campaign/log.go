package campaign

import (
	"context"
	"os"
	"time"
)

// maxLogB is what a repetition may write: a subject that prints for ever must
// not fill the disk that the records go to. A dump of all goroutines is far
// below it.
const maxLogB = 64 << 20

// logInterval is how often the log is looked at; between two looks a disk
// takes some ten megabytes more.
const logInterval = 50 * time.Millisecond

// watchLog returns a context that ends when the log at path is too long. Stop
// frees it.
func watchLog(ctx context.Context, path string) (logged context.Context, stop context.CancelFunc) {
	logged, stop = context.WithCancel(ctx)
	go func() {
		tick := time.NewTicker(logInterval)
		defer tick.Stop()
		for {
			select {
			case <-logged.Done():
				return
			case <-tick.C:
			}
			if info, err := os.Stat(path); err == nil && info.Size() > maxLogB {
				stop()
				return
			}
		}
	}()
	return logged, stop
}

// cutLog cuts a log that is too long and returns how long it was.
func cutLog(path string) (int64, error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	if info.Size() > maxLogB {
		return info.Size(), os.Truncate(path, maxLogB)
	}
	return info.Size(), nil
}
