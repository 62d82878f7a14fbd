package sync

import (
	"github.com/exactlyonce/certify/soak/explore/atomic"
)

// Once stands in for the type of sync. Its steps are the real one's.
type Once struct {
	done atomic.Bool
	m    Mutex
}

func (o *Once) Do(f func()) {
	if !o.done.Load() {
		o.doSlow(f)
	}
}

func (o *Once) doSlow(f func()) {
	o.m.Lock()
	defer o.m.Unlock()
	if !o.done.Load() {
		defer o.done.Store(true)
		f()
	}
}

// OnceFunc stands in for the function of sync.
func OnceFunc(f func()) func() {
	do := OnceValue(func() struct{} { f(); return struct{}{} })
	return func() { do() }
}

// OnceValue stands in for the function of sync.
func OnceValue[T any](f func() T) func() T {
	do := OnceValues(func() (T, struct{}) { return f(), struct{}{} })
	return func() T {
		v, _ := do()
		return v
	}
}

// OnceValues stands in for the function of sync. If f panics, so does every
// call, with the same value.
func OnceValues[T1, T2 any](f func() (T1, T2)) func() (T1, T2) {
	var once Once
	var returned bool
	var panicked any
	var v1 T1
	var v2 T2
	do := func() {
		defer func() {
			f = nil
			if !returned {
				panicked = recover()
				panic(panicked)
			}
		}()
		v1, v2 = f()
		returned = true
	}
	return func() (T1, T2) {
		once.Do(do)
		if !returned {
			panic(panicked)
		}
		return v1, v2
	}
}
