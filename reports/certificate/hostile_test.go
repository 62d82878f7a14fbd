package certificate

import (
	"bytes"
	"crypto/ed25519"
	"errors"
	"slices"
	"strings"
	"testing"
)

// altered decodes, changes and encodes.
func altered(t *testing.T, data []byte, change func(c *Certificate)) []byte {
	t.Helper()
	c, err := Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	change(c)
	if data, err = c.Encode(); err != nil {
		t.Fatal(err)
	}
	return data
}

// TestStripped: a signature that was taken away is found with the key that is
// wanted; without one it is found where a part was taken, and where all was, nobody
// is named as a signer.
func TestStripped(t *testing.T) {
	dir := makeRun(t, commit, 2)
	a, b := testKey(1), testKey(2)
	data := issue(t, dir, a, b)
	if v, err := Verify(data, dir, Options{}); err != nil || !slices.Equal(v.Signers, []string{KeyID(public(a)), KeyID(public(b))}) {
		t.Fatalf("as it was: %+v, %v", v, err)
	}
	for what, change := range map[string]func(c *Certificate){
		"of the first statement":  func(c *Certificate) { c.Envelopes[0].Signatures = []Signature{} },
		"of the second statement": func(c *Certificate) { c.Envelopes[1].Signatures = []Signature{} },
		"one of the second":       func(c *Certificate) { c.Envelopes[1].Signatures = c.Envelopes[1].Signatures[:1] },
		"one of the first":        func(c *Certificate) { c.Envelopes[0].Signatures = c.Envelopes[0].Signatures[1:] },
		"one each, of two keys": func(c *Certificate) {
			c.Envelopes[0].Signatures = c.Envelopes[0].Signatures[:1]
			c.Envelopes[1].Signatures = c.Envelopes[1].Signatures[1:]
		},
		"none, and one twice":      func(c *Certificate) { double(c) },
		"none, but a key in words": func(c *Certificate) { c.Envelopes[0].Signatures[0].KeyID = "\x1b[2J" },
		"none, but in capitals":    func(c *Certificate) { upper(c) },
	} {
		_, err := Verify(altered(t, data, change), dir, Options{})
		if !errors.Is(err, ErrSignature) || strings.Contains(err.Error(), "\x1b") {
			t.Errorf("%s: %v", what, err)
		}
	}
	all := altered(t, data, func(c *Certificate) {
		c.Envelopes[0].Signatures, c.Envelopes[1].Signatures = []Signature{}, []Signature{}
	})
	if v, err := Verify(all, dir, Options{}); err != nil || len(v.Signers) != 0 {
		t.Errorf("all: %+v, %v", v, err)
	}
	if _, err := Verify(all, dir, Options{Keys: []ed25519.PublicKey{public(a)}}); !errors.Is(err, ErrSignature) {
		t.Errorf("all, and one is wanted: %v", err)
	}
}

func double(c *Certificate) {
	for i := range c.Envelopes {
		e := &c.Envelopes[i]
		e.Signatures = append(e.Signatures, e.Signatures[0])
	}
}

func upper(c *Certificate) {
	for i := range c.Envelopes {
		for j := range c.Envelopes[i].Signatures {
			s := &c.Envelopes[i].Signatures[j]
			s.KeyID = strings.ToUpper(s.KeyID)
		}
	}
}

// TestHostileCertificates: what is in two ways, or too much, is none, also inside.
func TestHostileCertificates(t *testing.T) {
	dir := makeRun(t, commit, 2)
	good := string(issue(t, dir, testKey(1)))
	for what, row := range map[string][2]string{
		"a payload twice":         {`"payload":`, `"payload": "e30=", "payload":`},
		"signatures twice":        {`"signatures":`, `"signatures": [], "signatures":`},
		"a key id twice":          {`"keyid":`, `"keyid": "x", "keyid":`},
		"a field more inside":     {`"payloadType":`, `"more": {}, "payloadType":`},
		"another case inside":     {`"payload":`, `"Payload":`},
		"an escape in a name":     {`"payload":`, `"p\u0061yload":`},
		"not UTF-8":               {`"keyid": "`, "\"keyid\": \"\xff"},
		"a surrogate":             {`"keyid": "`, `"keyid": "\ud800`},
		"deep":                    {`"signatures": [`, `"signatures": ` + strings.Repeat("[", 100_000)},
		"a blank":                 {`"schema": `, `"schema":  `},
		"a byte order mark":       {"{", "\ufeff{"},
		"base64 with a line end":  {`"payload": "`, `"payload": "\n`},
		"another type of payload": {payloadType, "text/html"},
	} {
		bad := strings.Replace(good, row[0], row[1], 1)
		if bad == good {
			t.Fatalf("%s: nothing to replace", what)
		}
		if v, err := Verify([]byte(bad), dir, Options{}); err == nil {
			t.Errorf("%s: %+v", what, v)
		}
	}
}

// TestErrorsAreHarmless: what a stranger has put into a statement is shown, and
// does nothing to a terminal.
func TestErrorsAreHarmless(t *testing.T) {
	dir := makeRun(t, commit, 2)
	data := issue(t, dir)
	for _, payload := range []string{"\x1b]0;HOLDS\a\x1b[2J", "a\nHOLDS: CERTIFIED", "\u202eSDLOH", "\xff\x00", `{"_type":"` + "\u009b2J" + `"}`, strings.Repeat("x", 1<<20)} {
		_, err := Verify(altered(t, data, func(c *Certificate) { c.Envelopes[0].Payload = []byte(payload) }), dir, Options{})
		var e *AlteredError
		if !errors.As(err, &e) {
			t.Fatalf("%.40q: %v", payload, err)
		}
		if strings.ContainsAny(err.Error(), "\x1b\a\n\x00\u202e\u009b") || len(err.Error()) > 1000 {
			t.Errorf("%.40q: the error says it raw: %q", payload, err)
		}
	}
}

// FuzzSigned: a certificate with any change of its bytes does not hold, nor names
// other signers.
func FuzzSigned(f *testing.F) {
	dir := makeRun(f, commit, 2)
	good := issue(f, dir, testKey(1))
	f.Add(uint16(0), []byte{}, uint16(1))
	f.Add(uint16(40), []byte(`"schema":"x",`), uint16(0))
	f.Add(uint16(len(good)-200), []byte("AAAA"), uint16(4))
	f.Add(uint16(len(good)-1), []byte(" "), uint16(0))
	f.Fuzz(func(t *testing.T, at uint16, in []byte, out uint16) {
		i := int(at) % len(good)
		data := slices.Concat(good[:i], in, good[min(i+int(out), len(good)):])
		_, err := Verify(data, dir, Options{})
		if same := bytes.Equal(data, good); (err == nil) != same {
			t.Errorf("%q for %d bytes at %d: same %t, %v", in, out, i, same, err)
		}
	})
}
