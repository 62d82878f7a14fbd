package jobs

import (
	"unicode"
	"unicode/utf8"
)

// MaxIDBytes is the length of the longest id.
const MaxIDBytes = 255

// checkID accepts 1 to 255 bytes of valid UTF-8, all printable in Go's sense
// (the only space is U+0020). Separators of paths are fine: no id is ever
// part of a file's name here.
func checkID(id string) error {
	switch {
	case id == "":
		return &IDError{ID: id, Problem: "empty"}
	case len(id) > MaxIDBytes:
		return &IDError{ID: id, Problem: "longer than 255 bytes", At: MaxIDBytes}
	}
	for at, r := range id {
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(id[at:]); size == 1 {
				return &IDError{ID: id, Problem: "invalid UTF-8", At: at}
			}
		}
		if !unicode.IsPrint(r) {
			return &IDError{ID: id, Problem: "not printable", At: at}
		}
	}
	return nil
}
