package atomic

import (
	real "sync/atomic"
	"unsafe" // the API names unsafe.Pointer

	"github.com/exactlyonce/certify/soak/explore/control"
)

// The functions stand in for those of sync/atomic.

func load[V any](addr *V, do func(*V) V) V {
	control.Read(control.At(addr))
	return control.Result("Load", do(addr))
}

func store[V any](addr *V, val V, do func(*V, V)) {
	control.Write(control.At(addr))
	do(addr, control.Result("Store", val))
}

// change is a step that always writes.
func change[V any](op string, addr *V, arg V, do func(*V, V) V) V {
	control.Write(control.At(addr))
	return control.Result(op, do(addr, arg))
}

func cas[V any](addr *V, old, new V, do func(addr *V, old, new V) bool) (swapped bool) {
	t := control.Update(control.At(addr))
	swapped = do(addr, old, new)
	control.Updated(t, swapped)
	if control.Tracing() {
		control.Note("CAS", old, new, swapped)
	}
	return swapped
}

func LoadInt32(addr *int32) (val int32) { return load(addr, real.LoadInt32) }

func StoreInt32(addr *int32, val int32) { store(addr, val, real.StoreInt32) }

func SwapInt32(addr *int32, new int32) (old int32) { return change("Swap", addr, new, real.SwapInt32) }

func CompareAndSwapInt32(addr *int32, old, new int32) (swapped bool) {
	return cas(addr, old, new, real.CompareAndSwapInt32)
}

func AddInt32(addr *int32, delta int32) (new int32) { return change("Add", addr, delta, real.AddInt32) }

func AndInt32(addr *int32, mask int32) (old int32) { return change("And", addr, mask, real.AndInt32) }

func OrInt32(addr *int32, mask int32) (old int32) { return change("Or", addr, mask, real.OrInt32) }

func LoadInt64(addr *int64) (val int64) { return load(addr, real.LoadInt64) }

func StoreInt64(addr *int64, val int64) { store(addr, val, real.StoreInt64) }

func SwapInt64(addr *int64, new int64) (old int64) { return change("Swap", addr, new, real.SwapInt64) }

func CompareAndSwapInt64(addr *int64, old, new int64) (swapped bool) {
	return cas(addr, old, new, real.CompareAndSwapInt64)
}

func AddInt64(addr *int64, delta int64) (new int64) { return change("Add", addr, delta, real.AddInt64) }

func AndInt64(addr *int64, mask int64) (old int64) { return change("And", addr, mask, real.AndInt64) }

func OrInt64(addr *int64, mask int64) (old int64) { return change("Or", addr, mask, real.OrInt64) }

func LoadUint32(addr *uint32) (val uint32) { return load(addr, real.LoadUint32) }

func StoreUint32(addr *uint32, val uint32) { store(addr, val, real.StoreUint32) }

func SwapUint32(addr *uint32, new uint32) (old uint32) {
	return change("Swap", addr, new, real.SwapUint32)
}

func CompareAndSwapUint32(addr *uint32, old, new uint32) (swapped bool) {
	return cas(addr, old, new, real.CompareAndSwapUint32)
}

func AddUint32(addr *uint32, delta uint32) (new uint32) {
	return change("Add", addr, delta, real.AddUint32)
}

func AndUint32(addr *uint32, mask uint32) (old uint32) {
	return change("And", addr, mask, real.AndUint32)
}

func OrUint32(addr *uint32, mask uint32) (old uint32) { return change("Or", addr, mask, real.OrUint32) }

func LoadUint64(addr *uint64) (val uint64) { return load(addr, real.LoadUint64) }

func StoreUint64(addr *uint64, val uint64) { store(addr, val, real.StoreUint64) }

func SwapUint64(addr *uint64, new uint64) (old uint64) {
	return change("Swap", addr, new, real.SwapUint64)
}

func CompareAndSwapUint64(addr *uint64, old, new uint64) (swapped bool) {
	return cas(addr, old, new, real.CompareAndSwapUint64)
}

func AddUint64(addr *uint64, delta uint64) (new uint64) {
	return change("Add", addr, delta, real.AddUint64)
}

func AndUint64(addr *uint64, mask uint64) (old uint64) {
	return change("And", addr, mask, real.AndUint64)
}

func OrUint64(addr *uint64, mask uint64) (old uint64) { return change("Or", addr, mask, real.OrUint64) }

func LoadUintptr(addr *uintptr) (val uintptr) { return load(addr, real.LoadUintptr) }

func StoreUintptr(addr *uintptr, val uintptr) { store(addr, val, real.StoreUintptr) }

func SwapUintptr(addr *uintptr, new uintptr) (old uintptr) {
	return change("Swap", addr, new, real.SwapUintptr)
}

func CompareAndSwapUintptr(addr *uintptr, old, new uintptr) (swapped bool) {
	return cas(addr, old, new, real.CompareAndSwapUintptr)
}

func AddUintptr(addr *uintptr, delta uintptr) (new uintptr) {
	return change("Add", addr, delta, real.AddUintptr)
}

func AndUintptr(addr *uintptr, mask uintptr) (old uintptr) {
	return change("And", addr, mask, real.AndUintptr)
}

func OrUintptr(addr *uintptr, mask uintptr) (old uintptr) {
	return change("Or", addr, mask, real.OrUintptr)
}

func LoadPointer(addr *unsafe.Pointer) (val unsafe.Pointer) { return load(addr, real.LoadPointer) }

func StorePointer(addr *unsafe.Pointer, val unsafe.Pointer) { store(addr, val, real.StorePointer) }

func SwapPointer(addr *unsafe.Pointer, new unsafe.Pointer) (old unsafe.Pointer) {
	return change("Swap", addr, new, real.SwapPointer)
}

func CompareAndSwapPointer(addr *unsafe.Pointer, old, new unsafe.Pointer) (swapped bool) {
	return cas(addr, old, new, real.CompareAndSwapPointer)
}
