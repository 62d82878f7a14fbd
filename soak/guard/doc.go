// Package guard watches memory: of a process group, of the host, and of the
// own process.
//
// A subject that leaks must end its own repetition, not the machine. [Watch]
// runs in the supervisor and looks, several times a second, at two things:
// the resident memory of the child's tree against a ceiling, and what the
// host (or the container) has left against a low-water mark. The supervisor
// kills; the guard only says when and why.
//
// Promises. It fails closed: a limit that cannot be read is a trip, [Blind],
// and never a pass. A sample costs about a millisecond with a hundred
// processes, and disturbs none of them: it reads counters and walks no page
// tables.
//
// What is counted. On Linux the group, the session of the same number, and
// all their descendants, a page that two of them share twice. Someone who
// left both the group and his parents is not counted, the low-water mark sees
// him all the same. On macOS the group only; on Windows the child and its
// descendants. Elsewhere there is no count, and the error says so.
//
// Not here: limits that the kernel enforces (a cgroup, GOMEMLIMIT), and the
// memory of single allocations.
package guard
