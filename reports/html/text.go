package html

import (
	"fmt"
	"html/template"
	"strings"
	"unicode"
	"unicode/utf8"
)

// visible is s with its controls spelled out: those of a terminal, such as the
// escape that begins a colour, and those that turn or hide the text around them.
// Line ends and tabs are spaces.
func visible(s string) string { return spelled(s, false) }

// line is visible text of at most cellMost bytes.
func line(s string) string { return cut(visible(s), cellMost) }

// lines is visible text that keeps its lines, at most most bytes of it.
func lines(s string, most int) string {
	return spelled(strings.TrimRight(cut(s, most), "\n"), true)
}

func spelled(s string, keepLines bool) string {
	var out strings.Builder
	for _, r := range strings.ToValidUTF8(s, "\uFFFD") {
		switch {
		case r == '\n' || r == '\t':
			if !keepLines {
				r = ' '
			}
			out.WriteRune(r)
		case unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029':
			fmt.Fprintf(&out, "[U+%04X]", r)
		default:
			out.WriteRune(r)
		}
	}
	return out.String()
}

// wordMost is how long a word may be before it may be broken anywhere.
const wordMost = 32

// soft escapes s and lets lines break in long words: behind the slashes of a key,
// and where there is no better place.
func soft(s string) template.HTML {
	var out strings.Builder
	run := 0
	for _, r := range s {
		if run++; r == ' ' {
			run = 0
		}
		out.WriteString(template.HTMLEscapeString(string(r)))
		if run >= wordMost || r == '/' && run > 4 {
			out.WriteString("<wbr>")
			run = 0
		}
	}
	return template.HTML(out.String())
}

// cut shortens s to about most bytes, and says so.
func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	keep := most
	for keep > 0 && !utf8.RuneStart(s[keep]) {
		keep--
	}
	return fmt.Sprintf("%s … [%d bytes cut]", s[:keep], len(s)-keep)
}
