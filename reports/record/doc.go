// Package record is one result: what one repetition of one drill did.
//
// A soak and a benchmark write records, reports read them, and nothing else
// passes between the two. A [Record] takes two forms:
//
//   - a JSON line ([Encode], [Decode]), the evidence: it carries a sequence
//     number and a checksum over its own bytes, so that a torn or an edited
//     line is refused and never read as something else;
//   - a line of the Go benchmark format ([WriteBench]), derived from the
//     evidence, so that benchstat and everyone's tools read our results.
//
// Promises. Decode accepts exactly the lines that Encode writes: one record
// has one encoding. Everything accepted is well formed: the reason belongs to
// the verdict, every number is finite, every name survives the benchmark
// format. The same records give the same bytes on every platform.
//
// Not here: where records are kept (reports/rundir), what they mean together
// (reports), and proof against forgery. The checksum finds accidents; whoever
// can edit a line can also compute its checksum.
package record
