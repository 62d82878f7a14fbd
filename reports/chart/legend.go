package chart

import (
	"strings"

	"github.com/exactlyonce/certify/reports"
)

// Entry is how a series is drawn, for a page that names them beside the drawing:
// on a telephone the names in it are out of sight.
type Entry struct {
	Name   string
	Colour int    // from 1, as in the variables --s1 to --s8
	Dash   string // a stroke-dasharray, or empty
}

// Legend returns an entry for each series that SVG draws with a look of its own,
// and none for kinds of chart that have names beside each series.
func Legend(c *reports.Chart) (entries []Entry) {
	if c.Kind != reports.Points && c.Kind != reports.Lines {
		return nil
	}
	all, _, err := clean(c)
	if err != nil || len(all) < 2 {
		return nil
	}
	for i, s := range all {
		_, dash := look(i)
		var parts []string
		for _, d := range dash {
			parts = append(parts, digits(d))
		}
		if c.Kind == reports.Points {
			parts = nil // points have no lines between them
		}
		entries = append(entries, Entry{shorten(s.name, nameMost), i%len(colour) + 1, strings.Join(parts, " ")})
	}
	return entries
}
