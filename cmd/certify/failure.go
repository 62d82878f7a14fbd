package main

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/exactlyonce/certify/reports/record"
	"github.com/exactlyonce/certify/reports/rundir"
	"github.com/exactlyonce/certify/soak"
)

// printFailure says all that somebody needs who has to find the cause: what
// was seen, the law and why it exists, where the log is, how to repeat it.
func printFailure(w io.Writer, r record.Record, dir string) {
	fmt.Fprintf(w, "\n%s (%s) repetition %d of %s\n", r.Verdict, r.Reason, r.Rep, r.Key)
	fmt.Fprintf(w, "  seen:   %s\n", strings.ReplaceAll(r.Detail, "\n", "\n          "))
	for _, d := range soak.Drills() {
		if d.Name == r.Key.Drill && r.Verdict == record.Failed {
			fmt.Fprintf(w, "  law:    %s\n  why:    %s\n", d.Law, d.Why)
		}
	}
	fmt.Fprintf(w, "  seed:   %d (it fixes the work, not the schedule)\n", r.Seed)
	if r.Log != "" {
		fmt.Fprintf(w, "  log:    %s\n", filepath.Join(dir, filepath.FromSlash(r.Log)))
		printHead(w, dir, r.Log)
	}
	fmt.Fprintf(w, "  repeat: %s\n\n", r.Repeat)
}

// headLines is how much of a log is shown: its beginning says what happened,
// the rest is stacks.
const headLines = 6

func printHead(w io.Writer, dir, rel string) {
	data, err := rundir.ReadLog(dir, rel)
	if err != nil {
		return
	}
	lines := strings.Split(string(bytes.TrimSpace(data)), "\n")
	for i, line := range lines {
		if i == headLines {
			fmt.Fprintf(w, "          | ... %d more lines\n", len(lines)-i)
			return
		}
		if line != "" {
			fmt.Fprintf(w, "          | %.120s\n", strings.ReplaceAll(line, "\t", " "))
		}
	}
}

// harmless keeps what a subject, or a file of a stranger, says from steering the
// terminal. It is for all text that goes there, but for our own colours.
func harmless(text string) string {
	return strings.Map(func(c rune) rune {
		if c != '\n' && c != '\t' && !unicode.IsPrint(c) {
			return '?'
		}
		return c
	}, text)
}
