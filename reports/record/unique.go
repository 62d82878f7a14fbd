package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxDepth is deeper than anything that we write. What recurses over a document
// need not fear for its stack.
const maxDepth = 64

// Unambiguous returns an error for JSON that two readers may take in two ways: an
// object with a name twice, of which some take the first and some the last, or
// with names that differ in case only, which encoding/json takes for the same; text
// that is not UTF-8; something behind the value. It bounds the depth, too.
func Unambiguous(data []byte) error {
	if !utf8.Valid(data) {
		return errors.New("not UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := unambiguous(d, 0); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("something follows the value")
	}
	return nil
}

func unambiguous(d *json.Decoder, depth int) error {
	token, err := d.Token()
	if err != nil {
		return err
	}
	open, nested := token.(json.Delim)
	if !nested {
		return nil
	}
	if depth == maxDepth {
		return fmt.Errorf("nested deeper than %d", maxDepth)
	}
	seen := map[string]bool{}
	for d.More() {
		if open == '{' {
			name, err := d.Token()
			if err != nil {
				return err
			}
			key := folded(fmt.Sprint(name))
			if seen[key] {
				return fmt.Errorf("the name %.80q is there twice", name)
			}
			seen[key] = true
		}
		if err := unambiguous(d, depth+1); err != nil {
			return err
		}
	}
	_, err = d.Token() // the closing one
	return err
}

// folded is the same for texts that encoding/json takes for one name.
func folded(s string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
			least = min(least, next)
		}
		return least
	}, s)
}
