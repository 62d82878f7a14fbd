// Package rundir is the directory of a run: the evidence as it grows, and
// everything that is derived from it.
//
//	plan.json      what is run; pinned
//	env.json       where it runs; pinned
//	results.jsonl  a head, the pins, then a line for each finished repetition
//	logs/          a log for each repetition
//	lock           held by the process that writes
//	bench.txt ...  remade at any time from the files above
//
// Promises. A record for which [Dir.Append] returned nil is there after a
// kill or a power cut, exactly once. What a crash leaves half-written at the
// end of results.jsonl is dropped by [Open], which says how much it was. Any
// other damage (a bad line, a gap, a repetition twice) is an error with its
// line, never skipped. A pinned thing that changed is a [ChangedError]: two
// halves of a run cannot come from two plans or two binaries. One process
// writes at a time; the kernel frees the lock however that process ends.
//
// results.jsonl alone says whether a directory is a run: Create writes it
// last and as a whole.
//
// Not here: what a record means, what a plan holds, the joining of shards, of
// which a directory only knows which one it is.
// Nothing guards against somebody who edits a line and its checksum.
package rundir
