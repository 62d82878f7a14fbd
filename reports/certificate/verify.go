package certificate

import (
	"bytes"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/exactlyonce/certify/reports"
	"github.com/exactlyonce/certify/reports/merge"
	"github.com/exactlyonce/certify/reports/record"
)

// The errors that callers branch on, through errors.Is.
var (
	// ErrCommit: the source has no clean commit that is known.
	ErrCommit = errors.New("the source is no clean, known commit")
	// ErrSignature: a signature that is wanted is missing, or is not of this
	// certificate.
	ErrSignature = errors.New("signature")
)

// AlteredError: what a certificate says, or is about, is not what the evidence
// gives.
type AlteredError struct {
	What     string
	Was, Now string // in the certificate or at its issue, and as it is
}

func (e *AlteredError) Error() string {
	return fmt.Sprintf("%s was altered: certified %.80s, now %.80s", e.What, shown(e.Was), shown(e.Now))
}

// shown is a stranger's text with nothing in it that a terminal would obey.
func shown(s string) string {
	return strings.Map(func(c rune) rune {
		if !unicode.IsPrint(c) {
			return '?'
		}
		return c
	}, s)
}

// Options are what a verifier demands. The zero Options demand a clean commit
// and no signature.
type Options struct {
	// Keys must each have signed.
	Keys []ed25519.PublicKey
	// AnyCommit accepts a source that was modified or is not known.
	AnyCommit bool
}

// Verified is what a certificate that holds says.
type Verified struct {
	Verdict record.Verdict
	Reason  record.Reason
	Run     string
	Commit  string   // as it was recorded
	Signers []string // key ids with a good signature
}

// Verify checks a certificate against the run directory dir, offline: that its
// statements are, byte for byte, those that the evidence gives, and what o
// demands. A nil error means that the verdict is that of the evidence, whatever
// it is.
func Verify(data []byte, dir string, o Options) (v Verified, err error) {
	c, err := Decode(data)
	if err != nil {
		return v, err
	}
	r, err := reports.Load(dir)
	if err != nil {
		return v, fmt.Errorf("certificate: verify: %w", err)
	}
	payloads, d, err := statements(r)
	if err != nil {
		return v, fmt.Errorf("certificate: verify: %w", err)
	}
	if err := c.compare(payloads); err != nil {
		return v, fmt.Errorf("certificate: verify: %w", err)
	}
	if err := merge.Check(r); err != nil {
		return v, fmt.Errorf("certificate: verify: %w", err)
	}
	if d.commit == "" && !o.AnyCommit {
		return v, fmt.Errorf("certificate: verify: %w: %q", ErrCommit, d.commitText)
	}
	v = Verified{Verdict: r.Verdict, Reason: r.Reason, Run: r.ID, Commit: d.commitText}
	if v.Signers, err = c.signers(o.Keys); err != nil {
		return Verified{}, fmt.Errorf("certificate: verify: %w", err)
	}
	return v, nil
}

// compare names the first thing in a statement that differs.
func (c *Certificate) compare(payloads [][]byte) error {
	if len(c.Envelopes) != len(payloads) {
		return &AlteredError{"the number of statements", fmt.Sprint(len(c.Envelopes)), fmt.Sprint(len(payloads))}
	}
	for i, e := range c.Envelopes {
		if e.PayloadType != payloadType {
			return &AlteredError{fmt.Sprintf("the type of statement %d", i+1), e.PayloadType, payloadType}
		}
		if !bytes.Equal(e.Payload, payloads[i]) {
			return difference(i+1, e.Payload, payloads[i])
		}
	}
	return nil
}

// difference finds the field, if both are objects.
func difference(n int, was, now []byte) error {
	var a, b map[string]json.RawMessage
	what := fmt.Sprintf("statement %d", n)
	if json.Unmarshal(was, &a) == nil && json.Unmarshal(now, &b) == nil {
		for _, field := range []string{"_type", "subject", "predicateType", "predicate"} {
			if !bytes.Equal(a[field], b[field]) {
				i := max(firstDifference(a[field], b[field])-20, 0)
				return &AlteredError{what + ", " + field, string(a[field][min(i, len(a[field])):]), string(b[field][min(i, len(b[field])):])}
			}
		}
	}
	return &AlteredError{what, string(was), string(now)}
}

// signers checks every signature that there is, that who has signed one envelope
// has signed each, once, as Sign does, and that each key is among them.
func (c *Certificate) signers(wanted []ed25519.PublicKey) (ids []string, err error) {
	for i, e := range c.Envelopes {
		var here []string
		for _, s := range e.Signatures {
			key, err := hex.DecodeString(s.KeyID)
			if err != nil || len(key) != ed25519.PublicKeySize || KeyID(key) != s.KeyID || !ed25519.Verify(key, e.signed(), s.Sig) {
				return nil, fmt.Errorf("%w of key %.16q is not of statement %d", ErrSignature, s.KeyID, i+1)
			}
			here = append(here, s.KeyID)
		}
		if i == 0 {
			ids = here
		}
		if !slices.Equal(ids, here) || len(slices.Compact(slices.Sorted(slices.Values(here)))) != len(here) {
			return nil, fmt.Errorf("%w: statement %d is not signed by whom statement 1 is, by each once", ErrSignature, i+1)
		}
	}
	for _, key := range wanted {
		if !slices.Contains(ids, KeyID(key)) {
			return nil, fmt.Errorf("%w of key %.16s is missing on statement 1, and on all others", ErrSignature, KeyID(key))
		}
	}
	return ids, nil
}
