package certificate

import (
	"bytes"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/exactlyonce/certify/reports"
)

// Schema names the encoding.
const Schema = "certify/certificate/1"

// payloadType is what the envelopes hold.
const payloadType = "application/vnd.in-toto+json"

// MaxBytes bounds a certificate that is read: one is some kilobytes.
const MaxBytes = 16 << 20

// Certificate is the statements on a run, signed or not.
type Certificate struct {
	Schema    string     `json:"schema"`
	Envelopes []Envelope `json:"envelopes"`
}

// Envelope is a DSSE envelope.
type Envelope struct {
	PayloadType string      `json:"payloadType"`
	Payload     []byte      `json:"payload"`
	Signatures  []Signature `json:"signatures"`
}

// Signature is one of an envelope.
type Signature struct {
	KeyID string `json:"keyid"` // KeyID of the public key
	Sig   []byte `json:"sig"`
}

// ErrFormat: the file is no certificate of this schema, written as Encode does.
var ErrFormat = errors.New("not a certificate")

// Issue returns the certificate of the run, without a signature.
func Issue(r *reports.Run) (*Certificate, error) {
	payloads, _, err := statements(r)
	if err != nil {
		return nil, fmt.Errorf("certificate: issue: %w", err)
	}
	c := &Certificate{Schema: Schema}
	for _, p := range payloads {
		c.Envelopes = append(c.Envelopes, Envelope{PayloadType: payloadType, Payload: p, Signatures: []Signature{}})
	}
	return c, nil
}

func statements(r *reports.Run) (payloads [][]byte, d digests, err error) {
	if d, err = digestsOf(r.Dir, r); err != nil {
		return nil, d, err
	}
	for _, predicate := range []statement{testResult(r, d), numbers(r, d)} {
		data, err := json.Marshal(predicate)
		if err != nil {
			return nil, d, err
		}
		payloads = append(payloads, data)
	}
	return payloads, d, nil
}

// Sign adds the key's signature to each envelope. A second one of the same key
// replaces the first.
func (c *Certificate) Sign(key ed25519.PrivateKey) error {
	if len(key) != ed25519.PrivateKeySize {
		return fmt.Errorf("certificate: sign: key of %d bytes, want %d", len(key), ed25519.PrivateKeySize)
	}
	id := KeyID(key.Public().(ed25519.PublicKey))
	for i := range c.Envelopes {
		e := &c.Envelopes[i]
		e.Signatures = slices.DeleteFunc(e.Signatures, func(s Signature) bool { return s.KeyID == id })
		e.Signatures = append(e.Signatures, Signature{id, ed25519.Sign(key, e.signed())})
	}
	return nil
}

// Adopt takes over the signatures of an older certificate where all statements
// are the same, byte for byte: issued again it is still signed.
func (c *Certificate) Adopt(old *Certificate) {
	same := slices.EqualFunc(c.Envelopes, old.Envelopes, func(a, b Envelope) bool { return bytes.Equal(a.signed(), b.signed()) })
	for i := range c.Envelopes {
		if same {
			c.Envelopes[i].Signatures = old.Envelopes[i].Signatures
		}
	}
}

// KeyID is a public key in hex, which names it. So a signature can be checked
// by anybody; whose it is, they must know.
func KeyID(key ed25519.PublicKey) string { return hex.EncodeToString(key) }

// signed is what a signature of an envelope is over: DSSE's pre-authentication
// encoding.
func (e Envelope) signed() []byte {
	return fmt.Appendf(nil, "DSSEv1 %d %s %d %s", len(e.PayloadType), e.PayloadType, len(e.Payload), e.Payload)
}

// Encode is the certificate as it is written down.
func (c *Certificate) Encode() ([]byte, error) {
	data, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("certificate: encode: %w", err)
	}
	return append(data, '\n'), nil
}

// Decode reads what Encode writes, and nothing else: no other order, spelling,
// field or byte. What a reader may take in two ways is not a certificate.
func Decode(data []byte) (*Certificate, error) {
	if len(data) > MaxBytes {
		return nil, fmt.Errorf("certificate: decode: %w: %d bytes, at most %d", ErrFormat, len(data), int64(MaxBytes))
	}
	c := new(Certificate)
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(c); err != nil {
		return nil, fmt.Errorf("certificate: decode: %w: %w", ErrFormat, err)
	}
	if c.Schema != Schema {
		return nil, fmt.Errorf("certificate: decode: %w: schema %.40q: this version reads %s", ErrFormat, c.Schema, Schema)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("certificate: decode: %w: something follows it", ErrFormat)
	}
	again, err := c.Encode()
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(again, data) {
		return nil, fmt.Errorf("certificate: decode: %w: not as it was written, from byte %d on", ErrFormat, firstDifference(again, data))
	}
	return c, nil
}

func firstDifference(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}
