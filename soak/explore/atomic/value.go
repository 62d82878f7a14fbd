package atomic

import (
	real "sync/atomic"

	"github.com/exactlyonce/certify/soak/explore/control"
)

// Bool stands in for the type of sync/atomic.
type Bool struct {
	loc control.Loc
	v   real.Bool
}

func (x *Bool) Load() bool {
	control.Read(&x.loc)
	return control.Result("Load", x.v.Load())
}

func (x *Bool) Store(val bool) {
	control.Write(&x.loc)
	x.v.Store(control.Result("Store", val))
}

func (x *Bool) Swap(new bool) (old bool) {
	control.Write(&x.loc)
	old = x.v.Swap(new)
	if control.Tracing() {
		control.Note("Swap", new, old)
	}
	return old
}

func (x *Bool) CompareAndSwap(old, new bool) (swapped bool) {
	t := control.Update(&x.loc)
	swapped = x.v.CompareAndSwap(old, new)
	control.Updated(t, swapped)
	if control.Tracing() {
		control.Note("CAS", old, new, swapped)
	}
	return swapped
}

// Pointer stands in for the type of sync/atomic.
type Pointer[T any] struct {
	_   [0]*T // no conversion between pointers to different types
	loc control.Loc
	v   real.Pointer[T]
}

func (x *Pointer[T]) Load() *T {
	control.Read(&x.loc)
	return control.Result("Load", x.v.Load())
}

func (x *Pointer[T]) Store(val *T) {
	control.Write(&x.loc)
	x.v.Store(control.Result("Store", val))
}

func (x *Pointer[T]) Swap(new *T) (old *T) {
	control.Write(&x.loc)
	old = x.v.Swap(new)
	if control.Tracing() {
		control.Note("Swap", new, old)
	}
	return old
}

func (x *Pointer[T]) CompareAndSwap(old, new *T) (swapped bool) {
	t := control.Update(&x.loc)
	swapped = x.v.CompareAndSwap(old, new)
	control.Updated(t, swapped)
	if control.Tracing() {
		control.Note("CAS", old, new, swapped)
	}
	return swapped
}

// Value stands in for the type of sync/atomic.
type Value struct {
	loc control.Loc
	v   real.Value
}

func (v *Value) Load() (val any) {
	control.Read(&v.loc)
	return control.Result("Load", v.v.Load())
}

func (v *Value) Store(val any) {
	control.Write(&v.loc)
	v.v.Store(control.Result("Store", val))
}

func (v *Value) Swap(new any) (old any) {
	control.Write(&v.loc)
	return control.Result("Swap", v.v.Swap(new))
}

func (v *Value) CompareAndSwap(old, new any) (swapped bool) {
	t := control.Update(&v.loc)
	defer func() { control.Updated(t, swapped) }() // it panics for some values
	return v.v.CompareAndSwap(old, new)
}
