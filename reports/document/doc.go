// Package document writes a report as one JSON document, for programs.
//
//	err := document.Write(file, run, more...)
//
// It says all that the other formats say. docs/report.schema.json describes every
// field with its unit, and allows no other; a change that a reader could stumble
// over changes Schema. What is not known is null, never a made-up number: that is
// what NaN and the infinite bound of a slope become. Numbers of 64 bits that must
// not lose a digit, which are seeds, are texts.
//
// The same run gives the same bytes.
package document
