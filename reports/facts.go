package reports

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/exactlyonce/certify/reports/record"
)

// facts reads a JSON object as names and values, in its order: what a later
// version writes is shown too. Objects inside become names with a dot.
func facts(data []byte) ([]Fact, error) {
	if err := record.Unambiguous(data); err != nil { // and not too deep
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if token, err := d.Token(); err != nil || token != json.Delim('{') {
		return nil, fmt.Errorf("want an object: %v", err)
	}
	all, err := objectFacts(d, "")
	seen := map[string]bool{}
	for _, f := range all {
		if seen[f.Name] {
			return nil, fmt.Errorf("%.80q is there twice", f.Name)
		}
		seen[f.Name] = true
	}
	return all, err
}

// objectFacts reads what is behind the brace.
func objectFacts(d *json.Decoder, prefix string) (all []Fact, err error) {
	for d.More() {
		name, err := d.Token() // a string, or Token would have failed
		if err != nil {
			return nil, err
		}
		value, err := d.Token()
		if err != nil {
			return nil, err
		}
		full := prefix + fmt.Sprint(name)
		switch value {
		case json.Delim('{'):
			inner, err := objectFacts(d, full+".")
			if err != nil {
				return nil, err
			}
			all = append(all, inner...)
			continue
		case json.Delim('['):
			return nil, fmt.Errorf("%.80q is a list: want texts, numbers and objects", full)
		}
		all = append(all, Fact{full, fmt.Sprint(value)})
	}
	_, err = d.Token() // the closing brace
	return all, err
}
