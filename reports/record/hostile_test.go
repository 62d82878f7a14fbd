package record

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// TestUnambiguous: what encoding/json would take without a word, and another reader
// in another way, is refused.
func TestUnambiguous(t *testing.T) {
	deep := func(n int) string { return strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) }
	for _, good := range []string{
		"{}", "1", `"x"`, "null", "[]", `[{"a":1},{"a":2}]`, `{"a":{"a":{"a":1}}}`, ` {"a": 1} ` + "\n",
		`{"a":1,"b":{"c":1},"d":[1,[2]]}`, deep(maxDepth), `{"\u001b[2J":1}`, `{"a":123456789012345678901234567890}`,
	} {
		if err := Unambiguous([]byte(good)); err != nil {
			t.Errorf("%.40s: %v", good, err)
		}
	}
	for what, bad := range map[string]string{
		"a name twice":            `{"a":1,"a":1}`,
		"in an object inside":     `{"x":{"a":1,"b":2,"a":3}}`,
		"in a list":               `[0,{"a":1,"a":2}]`,
		"objects of one name":     `{"a":{"x":1},"a":{"y":1}}`,
		"spelled otherwise":       `{"a":1,"\u0061":1}`,
		"another case":            `{"reps":1,"REPS":2}`,
		"a letter that folds":     `{"ks":1,"\u212a\u017f":2}`,
		"too deep":                deep(maxDepth + 1),
		"lists too deep":          strings.Repeat("[", 100_000),
		"not UTF-8":               "{\"a\":\"\xff\"}",
		"something behind":        `{} {}`,
		"a byte behind":           `{}x`,
		"cut":                     `{"a":1`,
		"empty":                   ``,
		"a bracket for a brace":   `{"a":1]`,
		"a name that is a number": `{1:1}`,
	} {
		if Unambiguous([]byte(bad)) == nil {
			t.Errorf("%s: %.60s: taken", what, bad)
		}
	}
}

// TestUnsealRefuses: a good checksum does not help what may be read in two ways.
func TestUnsealRefuses(t *testing.T) {
	for _, object := range []string{`{"a":1,"a":2}`, `{"a":{"b":1,"B":2}}`, `{"a":` + strings.Repeat("[", 1000) + strings.Repeat("]", 1000) + `}`} {
		line, err := Seal(json.RawMessage(object))
		if err != nil {
			t.Fatal(err)
		}
		var v map[string]any
		if err := Unseal(line, &v); err == nil {
			t.Errorf("%.40s: taken", object)
		}
	}
}

// TestHostileTexts: a log leads nowhere, and one line is one line.
func TestHostileTexts(t *testing.T) {
	for what, spoil := range map[string]func(*Record){
		"above":             func(r *Record) { r.Log = "../plan.json" },
		"absolute":          func(r *Record) { r.Log = "/etc/passwd" },
		"above in between":  func(r *Record) { r.Log = "logs/../../x" },
		"back slashes":      func(r *Record) { r.Log = `logs/..\..\x` },
		"a drive":           func(r *Record) { r.Log = "C:x" },
		"a control":         func(r *Record) { r.Log = "logs/\x1b[2J" },
		"a C1 control":      func(r *Record) { r.Repeat = "certify \u009b2J" },
		"an escape":         func(r *Record) { r.Repeat = "certify \x1b]0;x\a" },
		"a line more":       func(r *Record) { r.Repeat = "certify\nrm" },
		"not UTF-8":         func(r *Record) { r.Repeat = "\xff" },
		"huge":              func(r *Record) { r.Repeat = strings.Repeat("x", 1<<20) },
		"a unit with blank": func(r *Record) { r.Values = []Value{{"a b", 1}} },
	} {
		r := sample()
		if r.Validate() != nil {
			t.Fatal("the sample is bad")
		}
		if spoil(&r); r.Validate() == nil {
			t.Errorf("%s: taken", what)
		}
	}
}

// FuzzUnambiguous: what is taken says the same to a reader who takes the first of
// two names and to one who takes the last, and to one who minds case.
func FuzzUnambiguous(f *testing.F) {
	for _, s := range []string{`{"a":1,"A":2}`, `[{"a":{"b":1}},"x",null,1e5]`, `{"a":1,"a":2}`, `{"\u212a":1,"k":2}`, "[[[[]]]]", "1e999"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if Unambiguous(data) != nil {
			return
		}
		var v any
		d := json.NewDecoder(bytes.NewReader(data))
		d.UseNumber() // one may be larger than a float64
		if err := d.Decode(&v); err != nil {
			t.Fatalf("%q is taken, and is no JSON: %v", data, err)
		}
		again, err := json.Marshal(v) // maps keep one of each name
		if err != nil {
			t.Fatal(err)
		}
		if names(t, data) != names(t, again) {
			t.Errorf("%q lost a name: %q", data, again)
		}
	})
}

// names counts the texts, names among them, of all of a document.
func names(t *testing.T, data []byte) (n int) {
	d := json.NewDecoder(strings.NewReader(string(data)))
	d.UseNumber()
	for {
		token, err := d.Token()
		if err != nil {
			return n
		}
		if _, ok := token.(string); ok {
			n++
		}
	}
}
