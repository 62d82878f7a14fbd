package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
)

// A line is {"crc":"xxxxxxxx",REST}\n, where x is CRC-32C over REST. The
// checksum comes first so that the rest stays in one piece: it is checked as
// bytes, before any of it is parsed.
const (
	crcOpen   = `{"crc":"`
	crcClose  = `",`
	prefixLen = len(crcOpen) + 8 + len(crcClose)
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Encode returns r as one line, newline included. It sets the schema, puts
// the start into UTC, and cuts a long detail; anything else that is not well
// formed is an error.
func Encode(r Record) ([]byte, error) {
	r.Schema = Schema
	r.Start = r.Start.UTC().Round(0)
	r.Detail = cutText(r.Detail)
	if err := r.Validate(); err != nil {
		return nil, err
	}
	if !IsWord(r.Run) || r.Seq < 1 {
		return nil, r.errorf("run %q, seq %d: want a word and a number from 1", r.Run, r.Seq)
	}
	return Seal(r)
}

// Decode returns the record of one line, which must be, byte for byte, what
// Encode writes.
func Decode(line []byte) (Record, error) {
	var r Record
	if err := Unseal(line, &r); err != nil {
		return Record{}, err
	}
	if r.Schema != Schema {
		return Record{}, fmt.Errorf("record: decode: schema %q: this version reads %s", r.Schema, Schema)
	}
	again, err := Encode(r)
	if err != nil {
		return Record{}, err
	}
	if !bytes.Equal(again, line) {
		return Record{}, errors.New("record: decode: not the encoding of the record it holds")
	}
	return r, nil
}

// Seal writes v, which must encode as an object with a field, as one checked
// line. It is for the other lines of a file of records, such as its head.
func Seal(v any) ([]byte, error) {
	var body bytes.Buffer
	enc := json.NewEncoder(&body)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("record: encode: %w", err)
	}
	rest := body.Bytes()[1:] // without the brace
	line := fmt.Appendf(nil, "%s%08x%s", crcOpen, checksum(rest), crcClose)
	return append(line, rest...), nil
}

// Unseal checks a line of Seal and parses it into v.
func Unseal(line []byte, v any) error {
	switch {
	case bytes.HasSuffix(line, []byte("\r\n")):
		return errors.New("record: decode: line ends in CR LF: the file was converted")
	case !bytes.HasSuffix(line, []byte("\n")):
		return errors.New("record: decode: line without its end")
	case len(line) <= prefixLen || !bytes.HasPrefix(line, []byte(crcOpen)):
		return errors.New("record: decode: not a record")
	}
	rest := line[prefixLen:]
	want := fmt.Sprintf("%s%08x%s", crcOpen, checksum(rest), crcClose)
	if got := string(line[:prefixLen]); got != want {
		return fmt.Errorf("record: decode: checksum: line says %q, its bytes give %q", got, want)
	}
	object := append([]byte("{"), rest...)
	err := Unambiguous(object)
	if err == nil {
		err = json.Unmarshal(object, v)
	}
	if err != nil {
		return fmt.Errorf("record: decode: %w", err)
	}
	return nil
}

func checksum(rest []byte) uint32 { return crc32.Checksum(rest, castagnoli) }
