// Package history keeps what runs of many commits measured, and tells at which
// commit something changed.
//
//	entries, err := history.Read("history.jsonl")
//	entries, err = history.Add(entries, history.Of(run))
//	err = history.Write("history.jsonl", entries)
//	sections, err := history.Sections(entries, class)
//
// A history is a file of lines, one a run, each with its checksum; it can be kept
// in a branch or a cache of CI, and two of them can be put together with cat. Runs
// of other machine classes may be in it: they are not compared.
//
// A change is judged by the rule of the gate of compare: significant after Holm's
// correction for all that one commit measured, beyond the noise of each arm
// against itself, and at least [Threshold], which is more than the gate's since
// commits do not interleave: on one machine, one after the other, the same binary
// differed from itself by 8 %. The base of a commit is the first one since the
// last change, so that a slow drift is found as well as a step.
package history

// Threshold is the least relative change that counts.
const Threshold = 0.10
