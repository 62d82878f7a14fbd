// Package rewrite puts the shims of explore under Go source that knows nothing
// of them. It never touches a file of the subject: the rewritten files lie in a
// directory of their own and reach the go command through -overlay, or, for
// modules in the module cache, which overlays must not touch, as copies through
// -modfile, or in a workspace through a go.work of their own.
//
//	"sync/atomic"      explore/atomic
//	"sync"             explore/sync
//	runtime.Gosched    explore/runtime
//	go f(x)            control.Go, with f and x evaluated before
//
// Everything that the subject is built from is rewritten, but for the standard
// library: two packages that share a *sync.Mutex then share the shim. Lines
// stay where they are, so that positions in stories are those of the subject.
//
// A package can be taken as coarse: its own memory is not looked into, and each
// call of its exported functions is one step.
//
// What the explorer cannot control is not rewritten but listed, as sites with
// positions: channels, select, timers, clocks, chance, the order of maps, cgo,
// assembly, unsafe memory, linknames. A certificate says how many there are; a
// thread that blocks in a channel blocks the exploration.
package rewrite
