// Package measured makes sections of a report from files of benchmarks.
//
//	sets, err := compare.ReadFiles("now=bench.txt")
//	more, err := measured.Sections(measured.Input{Benchmarks: sets})
//	err = html.Write(file, run, more...)
//
// What is in the files decides what is shown: a table for each family of
// benchmarks; lines over a number of producers, workers or processors where cases
// differ in one; curves of latency where percentiles were measured; and
// benchstat's table against the back end called mutex, and against an earlier run
// where one is given.
//
// Files are read by reports/compare, which refuses what it cannot read as what it
// says. Nothing here is a gate: see compare.Gate for one.
package measured
