// Package control runs a concurrent program one step at a time, in an order
// that somebody else picks.
//
// The goroutines of the program are logical threads: coroutines of which one
// runs at a time. Each operation on shared memory goes through a shim (package
// explore/atomic and its neighbours) that calls in here before it acts:
//
//	shim: Read(loc)        1. announce: location, kind, gate
//	                       2. Picker.Pick among the enabled threads
//	                       3. if another one was picked: switch to it
//	                       4. picked at last: the event is committed
//	shim: the operation    5. acts on the real memory, then runs on to the
//	                          next announcement
//
// So between two announcements a thread is alone, and an [Event], which is a
// thread, a location and whether it wrote, is atomic. What a program does is
// determined by its picks.
//
// Locations are numbered in the order of their first announcement in an
// execution. An address would differ from run to run; a number that outlived
// its execution would make two runs of one schedule look different. Announced,
// not accessed: so every thread that is about to act has its location's number
// before anybody picks, and it keeps it whatever the pick.
//
// Outside an execution, and in code that makes or checks the state of one, the
// shims act like the packages that they stand for.
//
// Plain memory belongs to the step before it. That is sound if the program has
// no data race, which the race detector must show in a build without shims: in
// here coroutine switches order everything, so that it never complains.
//
// One execution runs at a time in a process, and while it does no goroutine of
// somebody else's may use the shims. [Execution.Guard] finds one that does.
package control
