package document

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
)

// escaped is the same document with every letter escaped that a terminal obeys or
// that turns or hides the text around it: they are in strings only, and are
// somebody's words, and people look at such files too.
func escaped(doc string) string {
	if !strings.ContainsFunc(doc, acts) {
		return doc
	}
	var out strings.Builder
	for _, c := range doc {
		if !acts(c) {
			out.WriteRune(c)
			continue
		}
		for _, unit := range utf16.Encode([]rune{c}) {
			fmt.Fprintf(&out, `\u%04x`, unit)
		}
	}
	return out.String()
}

func acts(c rune) bool {
	return c != '\n' && (unicode.IsControl(c) || unicode.Is(unicode.Cf, c) || c == '\u2028' || c == '\u2029')
}
