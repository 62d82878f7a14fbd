//go:build unix

package guard

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// SelfCPU is the processor time that this process has used, its own and the
// kernel's for it.
func SelfCPU() (time.Duration, error) {
	var usage unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &usage); err != nil {
		return 0, fmt.Errorf("guard: own processor time: %w", err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()), nil
}
