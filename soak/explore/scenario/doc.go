// Package scenario makes small programs for queues and explores them: which
// operations, by how many threads, for any back end of package queues.
//
//	PPpp|1|2    a deque: the owner pushes twice and pops twice, one thief
//	            steals once, another one twice
//	PBp|sb      the owner pushes, pushes a batch of two and pops; a thief steals
//	            one and then up to two
//	ED|B|T      an injector: E pushes and D pops, B pushes two and T pops up to
//	            two
//
// All scenarios of a size are enumerated; each is explored, and each execution
// is judged: every item comes out once or is left, and the calls are explained
// by some order of theirs that respects time ([Checker]).
//
// A back end runs with the shims under it: see [Driver] and package rewrite.
package scenario
