// Package compare tells whether benchmarks changed between files of results.
//
//	Read, ReadFiles   results in the Go benchmark format, however they were kept
//	Compare           benchstat's tables: median, interval, delta, p, n, geomean
//	Result.WriteText  a table for people, with a verdict a row
//	Result.WriteCSV   what `benchstat -format csv` writes, byte for byte
//	Gate              is there a regression that one may act on
//	Noise             how much one arm differs from itself
//
// Promises. WriteCSV is benchstat's to the last digit, for whatever benchstat
// reads too. An input is read as what it says or refused by file and line,
// never in part: a damaged result is a lost sample, and samples are not lost
// at random. What is not compared is counted and said. A gate that could not
// have found a regression does not pass.
//
// One number differs from benchstat's: the p of samples of unequal size with
// ties, which is wrong there. WriteText and Gate go by the right one.
//
// Differences shown by WriteText are judged one by one, as in benchstat: of a
// hundred rows without any change some five will show one. Gate corrects for
// that (Holm), and asks for a minimal effect on top.
//
// Not here: running anything, and cures for arms that ran one after the other.
// The same binary measured twice in a row differed by 8 % with p = 0.007;
// interleaved, it did not differ. Interleave.
package compare
