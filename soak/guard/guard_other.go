//go:build !linux && !darwin && !windows

package guard

import (
	"errors"
	"fmt"
)

var errHere = fmt.Errorf("guard: memory: not known on this system: %w", errors.ErrUnsupported)

// Tree is an error here, and a ceiling therefore a trip.
func Tree(int) (Usage, error) { return Usage{}, errHere }

// HostAvailable is an error here, and a low-water mark therefore a trip.
func HostAvailable() (int64, error) { return 0, errHere }

// SelfPeak is an error here.
func SelfPeak() (int64, error) { return 0, errHere }

// ResetSelfPeak is an error here.
func ResetSelfPeak() error { return errHere }
