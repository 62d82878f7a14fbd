package bench

import (
	"testing"

	"go.uber.org/goleak"
)

// Closed arms leave nothing behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
