package soak

import (
	"os"
	"runtime"

	"github.com/exactlyonce/certify/reports/record"
)

// stream is a file descriptor that the supervisor gave the process.
type stream struct {
	name string
	file *os.File
	was  os.FileInfo // nil when it was closed already
}

// standardStreams are those that a verdict depends on: what the race detector reports
// goes to standard error, and standard input tells that the supervisor is alive. Who
// closes them may hide what there was to see.
func standardStreams() (streams []stream) {
	if runtime.GOOS == "windows" {
		return nil // where pipes have no identity
	}
	for _, e := range []stream{{name: "input", file: os.Stdin}, {name: "error", file: os.Stderr}} {
		e.was, _ = e.file.Stat() // told by its absence
		streams = append(streams, e)
	}
	return streams
}

// checkStreams makes a clean outcome a failed one when one of these is not what it was.
func (o *Outcome) checkStreams(streams []stream) {
	for _, e := range streams {
		is, err := e.file.Stat()
		if err == nil && e.was != nil && os.SameFile(e.was, is) || o.Verdict != record.Certified {
			continue
		}
		o.Verdict, o.Reason = record.Failed, record.Contract
		o.Detail = "contract: the standard " + e.name + " of the process was closed, or replaced: a file descriptor that is not the subject's own"
	}
}
