// Package html writes the report of a run as one HTML file.
//
//	run, err := reports.Load(dir)
//	err = html.Write(file, run)
//
// The file needs nothing beside it: it opens from a disk without a network, from
// the archive of a CI job, in light and dark, on a telephone, on paper, and
// without its script, which adds only sorting, the filter, copying and downloads.
// A content security policy with the hashes of its one style sheet and one script
// keeps everything else from running, so that what a record holds, a stranger's
// words, stays text. Controls in it that a terminal or a reader of right-to-left
// script would obey are spelled out.
//
// A row has an id to link to, as in report.html#record-7, and the state of the
// filter is in the address, as in report.html#q=msqueue. The records themselves
// are in the page, for downloading: as the lines of results.jsonl, checksums
// included, and in the Go benchmark format. Of a run too large for that the page
// says where they are.
//
// The same run gives the same bytes from the same build: another version of Go may
// compress the data otherwise.
package html
