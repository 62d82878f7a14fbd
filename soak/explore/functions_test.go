package explore_test

import (
	"github.com/exactlyonce/certify/soak/explore"
	shim "github.com/exactlyonce/certify/soak/explore/atomic"
)

// functions uses the shims that know a location by its address only.
var functions = small{"functions by address", func(t *explore.T, see func(string, ...any)) {
	var x int64
	var y uint32
	t.Go(func() { shim.AddInt64(&x, 1); shim.OrUint32(&y, 1) })
	t.Go(func() { shim.StoreInt64(&x, shim.LoadInt64(&x)+1); shim.CompareAndSwapUint32(&y, 1, 8) })
	t.Check(func() error { see("%d %d", x, y); return nil })
}, explore.Passed}
