package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/exactlyonce/certify/hardening/recorded"
)

// report is the record of a campaign.
type report struct {
	recorded.Head
	Seed   uint64    `json:"seed,string"`
	Faults []outcome `json:"faults"`
}

// outcome is what a fault came to.
type outcome struct {
	Name     string   `json:"name"`
	What     string   `json:"what"`
	Tried    int      `json:"tried"`
	Survived int      `json:"survived"`
	Seconds  float64  `json:"seconds"`
	Notes    []string `json:"notes"`
}

// maxNotes keeps a fault that always fails readable.
const maxNotes = 12

// trial counts one try. What it broke is noted under its label.
func (o *outcome) trial(label string, problems []string) {
	o.Tried++
	if len(problems) == 0 {
		o.Survived++
		return
	}
	o.note("NOT SURVIVED: %s: %s", label, strings.Join(problems, "; "))
}

// lost takes back that the last trial was survived, for what was found after it.
func (o *outcome) lost(label string, problems []string) {
	if o.Survived == o.Tried && o.Tried > 0 {
		o.Survived--
	}
	o.Tried = max(o.Tried, o.Survived+1)
	o.note("NOT SURVIVED: %s: %s", label, strings.Join(problems, "; "))
}

func (o *outcome) note(format string, args ...any) {
	switch len(o.Notes) {
	case maxNotes:
		o.Notes = append(o.Notes, "more notes were left out")
	case maxNotes + 1:
	default:
		o.Notes = append(o.Notes, fmt.Sprintf(format, args...))
	}
}

// notRun says why a part of a fault could not be made here: it is neither survived nor not.
func (o *outcome) notRun(format string, args ...any) {
	o.note("NOT RUN: "+format, args...)
}

func (o outcome) ok() bool { return o.Survived == o.Tried }

func (o outcome) line() string {
	word := "survived"
	switch {
	case !o.ok():
		word = "NOT SURVIVED"
	case o.Tried == 0:
		word = "NOT RUN"
	}
	line := fmt.Sprintf("faults: %s: %d tried, %d survived, %.1f s: %s", o.Name, o.Tried, o.Survived, o.Seconds, word)
	for _, n := range o.Notes {
		line += "\n        " + n
	}
	return line
}

func (r *report) survived() bool {
	for _, f := range r.Faults {
		if !f.ok() {
			return false
		}
	}
	return true
}

func (r *report) table(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "\nfault\ttried\tsurvived\tseconds\twhat")
	for _, f := range r.Faults {
		fmt.Fprintf(t, "%s\t%d\t%d\t%.1f\t%s\n", f.Name, f.Tried, f.Survived, f.Seconds, f.What)
	}
	_ = t.Flush() // to where the lines went before
	if r.survived() {
		fmt.Fprintf(w, "all were survived; seed %d\n", r.Seed)
		return
	}
	fmt.Fprintf(w, "NOT ALL WERE SURVIVED; repeat with -seed %d\n", r.Seed)
}
