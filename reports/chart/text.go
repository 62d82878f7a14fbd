package chart

import (
	"fmt"
	"strings"
	"unicode"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// visible is s on one line, with what has no picture, or turns the direction of
// the text around it, spelled out.
func visible(s string) string {
	var out strings.Builder
	for _, r := range strings.ToValidUTF8(s, "\uFFFD") {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			out.WriteByte(' ')
		case unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029':
			fmt.Fprintf(&out, "[U+%04X]", r)
		default:
			out.WriteRune(r)
		}
	}
	return out.String()
}

// shorten leaves out the middle of s beyond most letters.
func shorten(s string, most int) string {
	if len(s) <= most {
		return s // a letter is at least a byte
	}
	r := []rune(s)
	if len(r) <= most {
		return s
	}
	return string(r[:most/2]) + "…" + string(r[len(r)-most/2:])
}

// The most letters of a name, of which each has to be measured, of a title, and of
// a description.
const (
	nameMost  = 400
	titleMost = 400
	descMost  = 4000
)

// fit shortens s to a width in points by leaving out its middle: keys of a plan
// differ at their ends.
func fit(sty text.Style, s string, width vg.Length) string {
	s = shorten(s, nameMost)
	r := []rune(s)
	if sty.Width(s) <= width {
		return s
	}
	for keep := len(r) - 1; keep > 1; keep-- {
		head := keep / 2
		short := string(r[:head]) + "…" + string(r[len(r)-(keep-head):])
		if sty.Width(short) <= width {
			return short
		}
	}
	return "…"
}
