package record

import (
	"fmt"
	"strings"
)

// Key says what was repeated: a drill and its parameters, in the order of the
// plan. Records of the same key are samples of the same thing.
type Key struct {
	Drill  string
	Params []Param
}

// Param is one parameter of a drill.
type Param struct{ Name, Value string }

// String is the key as one word, such as
// exactly-once/injector=msqueue/workers=2. UnmarshalText reads it back.
func (k Key) String() string {
	var b strings.Builder
	b.WriteString(k.Drill)
	for _, p := range k.Params {
		b.WriteString("/" + p.Name + "=" + p.Value)
	}
	return b.String()
}

// benchPrefix makes the drill a parameter too, so that benchstat can project
// on /drill like on any other.
const benchPrefix = "Soak/drill="

// BenchmarkName is the key as the name of a benchmark, such as
// BenchmarkSoak/drill=exactly-once/injector=msqueue/workers=2.
func (k Key) BenchmarkName() string { return "Benchmark" + benchPrefix + k.String() }

// Validate returns an error for a key whose name cannot be read back, here or
// by benchstat: the writer of the benchmark format escapes nothing.
func (k Key) Validate() error {
	if !IsWord(k.Drill) {
		return fmt.Errorf("record: key %q: drill %q: want letters, digits and _.-", k, k.Drill)
	}
	seen := map[string]bool{"drill": true}
	for _, p := range k.Params {
		if !IsWord(p.Name) || !IsWord(p.Value) {
			return fmt.Errorf("record: key %q: parameter %q=%q: want letters, digits and _.-", k, p.Name, p.Value)
		}
		if seen[p.Name] {
			return fmt.Errorf("record: key %q: parameter %s: given twice", k, p.Name)
		}
		seen[p.Name] = true
	}
	if endsLikeProcs(k.String()) {
		return fmt.Errorf("record: key %q: its end would be read as the number of processors", k)
	}
	return nil
}

// MarshalText writes String, and refuses what it could not read back.
func (k Key) MarshalText() ([]byte, error) { return []byte(k.String()), k.Validate() }

// UnmarshalText reads what String writes.
func (k *Key) UnmarshalText(text []byte) error {
	drill, rest, more := strings.Cut(string(text), "/")
	got := Key{Drill: drill}
	for more {
		var param string
		param, rest, more = strings.Cut(rest, "/")
		name, value, _ := strings.Cut(param, "=")
		got.Params = append(got.Params, Param{name, value})
	}
	*k = got
	return got.Validate()
}

// IsWord reports whether s can be a part of a name: letters, digits, and _.-
// but not the separators / and =.
func IsWord(s string) bool {
	return s != "" && strings.Trim(s, wordBytes) == ""
}

const wordBytes = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-"

// endsLikeProcs reports whether s ends like the -8 which `go test` appends to
// the name of a benchmark, and which benchstat takes off again.
func endsLikeProcs(s string) bool {
	cut := strings.TrimRight(s, "0123456789")
	return cut != s && strings.HasSuffix(cut, "-")
}
