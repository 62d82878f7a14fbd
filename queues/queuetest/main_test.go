package queuetest

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain: laws leave no goroutine behind, even when a back end panics or, in
// the end, lets a hanging law go.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
