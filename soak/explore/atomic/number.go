package atomic

import (
	real "sync/atomic"

	"github.com/exactlyonce/certify/soak/explore/control"
)

// Int32 stands in for the type of sync/atomic.
type Int32 struct {
	number[int32, real.Int32, *real.Int32]
}

// Int64 stands in for the type of sync/atomic.
type Int64 struct {
	number[int64, real.Int64, *real.Int64]
}

// Uint32 stands in for the type of sync/atomic.
type Uint32 struct {
	number[uint32, real.Uint32, *real.Uint32]
}

// Uint64 stands in for the type of sync/atomic.
type Uint64 struct {
	number[uint64, real.Uint64, *real.Uint64]
}

// Uintptr stands in for the type of sync/atomic.
type Uintptr struct {
	number[uintptr, real.Uintptr, *real.Uintptr]
}

// number is a location that holds V in the real type R.
type number[V, R any, P interface {
	*R
	Load() V
	Store(V)
	Swap(V) V
	CompareAndSwap(old, new V) bool
	Add(V) V
	And(V) V
	Or(V) V
}] struct {
	loc control.Loc
	v   R
}

func (x *number[V, R, P]) Load() V {
	control.Read(&x.loc)
	return control.Result("Load", P(&x.v).Load())
}

func (x *number[V, R, P]) Store(val V) {
	control.Write(&x.loc)
	P(&x.v).Store(control.Result("Store", val))
}

func (x *number[V, R, P]) Swap(new V) (old V) {
	control.Write(&x.loc)
	old = P(&x.v).Swap(new)
	if control.Tracing() {
		control.Note("Swap", new, old)
	}
	return old
}

func (x *number[V, R, P]) CompareAndSwap(old, new V) (swapped bool) {
	t := control.Update(&x.loc)
	swapped = P(&x.v).CompareAndSwap(old, new)
	control.Updated(t, swapped)
	if control.Tracing() {
		control.Note("CAS", old, new, swapped)
	}
	return swapped
}

func (x *number[V, R, P]) Add(delta V) (new V) {
	control.Write(&x.loc)
	new = P(&x.v).Add(delta)
	if control.Tracing() {
		control.Note("Add", delta, new)
	}
	return new
}

func (x *number[V, R, P]) And(mask V) (old V) {
	control.Write(&x.loc)
	return control.Result("And", P(&x.v).And(mask))
}

func (x *number[V, R, P]) Or(mask V) (old V) {
	control.Write(&x.loc)
	return control.Result("Or", P(&x.v).Or(mask))
}
