//go:build darwin || windows

package guard

import (
	"errors"
	"fmt"
	"math"

	"github.com/shirou/gopsutil/v4/mem"
)

// HostAvailable returns how many bytes of the host can still be used.
func HostAvailable() (int64, error) {
	vm, err := mem.VirtualMemory()
	if err != nil {
		return 0, fmt.Errorf("guard: memory of the host: %w", err)
	}
	return int64(min(vm.Available, math.MaxInt64)), nil
}

// ResetSelfPeak is an error here: the system keeps one peak for the life of a
// process.
func ResetSelfPeak() error {
	return fmt.Errorf("guard: reset own peak: %w", errors.ErrUnsupported)
}
