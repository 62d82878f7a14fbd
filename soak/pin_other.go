//go:build !linux

package soak

// pinToOne: this system has no way to do it for a process that runs.
func pinToOne() (stop func()) { return func() {} }
