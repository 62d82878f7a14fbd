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

// longest is how much of a text is measured: a name of a million letters is not.
const longest = 400

// fit shortens s to a width in points by leaving out its middle: keys of a plan
// differ at their ends.
func fit(sty text.Style, s string, width vg.Length) string {
	r := []rune(s)
	if len(r) > longest {
		r = append(append(r[:longest/2:longest/2], '…'), r[len(r)-longest/2:]...)
		s = string(r)
	}
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
