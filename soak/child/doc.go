// Package child runs one process, supervised, and leaves nothing of it behind.
//
// A repetition may hang, crash, eat the memory or start processes of its own.
// [Run] gives it a process group and a log, watches its time and its memory,
// ends it when it must, buries what it left, and says what became of it and
// why. [WatchParent], called by the child, is the other half: it ends the
// child when the supervisor is gone, even by kill -9. For a program that does
// not call it, there is Spec.Foreign.
//
// Promises. The cause is what Run decided or saw, never a guess from the exit
// status. Output goes straight to the log file: no pipe that a grandchild
// could hold open, and what was written before a kill is kept. On a deadline
// a Go child first writes its goroutines into the log. When Run returns
// without an error, no process of the child's is alive:
//
//	Linux    the group, and whoever left it but kept the environment
//	macOS    the group; whoever leaves it by setsid escapes
//	Windows  the job object; started before the child is in it, escapes.
//	         No goroutines are dumped. Compiled, never run by us.
//
// On Linux processes are known by a mark in their environment and not by a
// subreaper: a subreaper is a property of the whole supervisor, and it cannot
// tell an orphan of this child from what other code in it started. Who clears
// the environment, leaves the group and is orphaned, escapes.
//
// The supervisor must not be the cause: it holds no results and draws nothing
// while a child runs. Not here: what the child does, what its exit code means,
// how often it is run.
package child
