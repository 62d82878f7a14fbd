package guard

import (
	"fmt"
	"time"

	"golang.org/x/sys/windows"
)

// SelfCPU is the processor time that this process has used, its own and the
// kernel's for it.
func SelfCPU() (time.Duration, error) {
	var created, exited, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(windows.CurrentProcess(), &created, &exited, &kernel, &user); err != nil {
		return 0, fmt.Errorf("guard: own processor time: %w", err)
	}
	hundreds := func(t windows.Filetime) int64 { return int64(t.HighDateTime)<<32 | int64(t.LowDateTime) }
	return time.Duration(hundreds(kernel)+hundreds(user)) * 100, nil
}
