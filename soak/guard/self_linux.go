package guard

import (
	"fmt"
	"os"
)

// SelfPeak returns the peak of this process's resident memory since it was
// executed, or since ResetSelfPeak. A process asks this for itself: the peak
// that a parent gets with the exit status begins with the parent's own size.
func SelfPeak() (int64, error) {
	peakB, err := kilobytes("/proc/self/status", "VmHWM:")
	if err != nil {
		return 0, fmt.Errorf("guard: own peak: %w", err)
	}
	return peakB, nil
}

// ResetSelfPeak makes SelfPeak begin anew, at what is resident now.
func ResetSelfPeak() error {
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		return fmt.Errorf("guard: reset own peak: %w", err)
	}
	return nil
}
