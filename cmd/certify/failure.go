package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/exactlyonce/certify/reports/record"
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
		log := filepath.Join(dir, filepath.FromSlash(r.Log))
		fmt.Fprintf(w, "  log:    %s\n", log)
		printHead(w, log)
	}
	fmt.Fprintf(w, "  repeat: %s\n\n", r.Repeat)
}

// headLines is how much of a log is shown: its beginning says what happened,
// the rest is stacks.
const headLines = 6

func printHead(w io.Writer, path string) {
	data, err := os.ReadFile(path)
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
			fmt.Fprintf(w, "          | %.120s\n", printable(line))
		}
	}
}

// printable keeps what a subject wrote from steering the terminal.
func printable(line string) string {
	return strings.Map(func(c rune) rune {
		if c == '\t' {
			return ' '
		}
		if !unicode.IsPrint(c) {
			return '?'
		}
		return c
	}, line)
}
