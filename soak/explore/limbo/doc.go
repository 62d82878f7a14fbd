// Package limbo makes small programs for reclaimers and explores them. A reclaimer
// takes over nodes that were unlinked and gives them out again when nobody can hold
// them any more; until then they are in limbo.
//
//	[r]|[x]       one thread pins, loads the shared link, keeps using what it found,
//	              and unpins; another one pins, swaps in a fresh node, retires the
//	              old one, and unpins
//	[r[]]|[ax]    a pin inside of a pin; and a thread that swaps in a node which the
//	              reclaimer gave out again
//	[x]|[x]@wrap  likewise, next to the end of the epoch's counter
//	[r]|[x]@home  likewise, with threads that prefer the same place
//
// Each execution is judged: what a pinned thread holds is not reclaimed before it
// unpins (memory that was reclaimed is poisoned, and poison is not read), only what
// was retired is reclaimed, once, only what was reclaimed is given out, to one, and
// when nobody is pinned and more is retired, what was retired comes out of limbo.
//
// Some nodes are retired before the threads start, so that in a few operations an
// epoch ends and nodes come back. Counts tell in how many executions that happened
// while somebody else was pinned.
package limbo
