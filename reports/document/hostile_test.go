package document

import (
	"encoding/json"
	"testing"
)

// TestEscaped: what acts is escaped, and reads as what it was.
func TestEscaped(t *testing.T) {
	for _, s := range []string{"plain ü 世", "\x7f", "\u009b2J", "\u202eSDLOH\u2066", "zero\u200bwidth\ufeff", "\u2028", "tag \U000e0041\U000e0001", "\x1b[2J\x00\n\t"} {
		data, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		text := escaped(string(data))
		for _, c := range text {
			if acts(c) {
				t.Errorf("%q: %q is left", s, c)
			}
		}
		var back string
		if err := json.Unmarshal([]byte(text), &back); err != nil || back != s {
			t.Errorf("%q is read as %q, %v", s, back, err)
		}
	}
}
