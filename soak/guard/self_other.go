//go:build !unix && !windows

package guard

import "time"

// SelfCPU is an error here.
func SelfCPU() (time.Duration, error) { return 0, errHere }
