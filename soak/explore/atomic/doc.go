// Package atomic stands in for sync/atomic in programs that are explored. It
// has the same API, and outside of an exploration does the same.
//
// Each operation is one step at its location. A CAS that fails is a step that
// reads. Variables that functions act on are told apart by their address and
// type, so the same memory under two types is two locations.
package atomic
