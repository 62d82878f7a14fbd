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
// Modes. Nobody but the owner may write what is here, whatever the umask: others
// could put other evidence, or another program, in its place. Files are made with
// 0644, directories and programs with 0755, and the umask may take more away: with
// one of 077 a run is nobody else's to read. No mode is changed later but to take
// writing by others from what the go command has built.
//
// Strangers. A directory may be one that somebody else made: a line is taken only
// as it is written here, a log is a plain file in logs/, and a name or a digest that
// is shown to people is a line of text.
//
// Not here: what a record means, what a plan holds, the joining of shards, of
// which a directory only knows which one it is.
// Nothing guards against somebody who edits a line and its checksum.
package rundir
