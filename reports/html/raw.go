package html

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/exactlyonce/certify/reports"
	"github.com/exactlyonce/certify/reports/record"
)

// rawMost bounds the data inside a page: compressed, in bytes.
const rawMost = 1 << 20

// raw is a file inside the page: compressed and behind a link, so that it can be
// saved without the script too. It is without a link where it would be too large.
type raw struct {
	Name, About string
	Link        template.URL
}

// rawData returns the records as they are in results.jsonl, checksums included,
// and in the Go benchmark format.
func rawData(r *reports.Run) ([]raw, error) {
	var lines, bench bytes.Buffer
	for _, rec := range r.Records {
		line, err := record.Encode(rec)
		if err != nil {
			return nil, err
		}
		lines.Write(line)
	}
	if err := record.WriteBench(&bench, configOf(r.Env), r.Records); err != nil {
		return nil, err
	}
	jsonl, err := rawFile("records.jsonl", "Every repetition, a checked JSON object a line", lines.Bytes())
	if err != nil {
		return nil, err
	}
	text, err := rawFile("bench.txt", "The same in the Go benchmark format, for benchstat", bench.Bytes())
	return []raw{jsonl, text}, err
}

func rawFile(name, about string, content []byte) (raw, error) {
	f := raw{Name: name, About: fmt.Sprintf("%s: %s.", about, humanize.Bytes(uint64(len(content))))}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed) // its head holds no time unless it is told one
	if _, err := z.Write(content); err != nil {
		return raw{}, err
	}
	if err := z.Close(); err != nil {
		return raw{}, err
	}
	if packed.Len() <= rawMost {
		f.Link = template.URL("data:application/gzip;base64," + base64.StdEncoding.EncodeToString(packed.Bytes()))
	}
	return f, nil
}

// configOf are the facts that the benchmark format can hold: a word in lower case
// with a value on one line.
func configOf(facts []reports.Fact) (cfg []record.ConfigLine) {
	for _, f := range facts {
		name, value := strings.ToLower(f.Name), strings.TrimSpace(f.Value)
		taken := slices.ContainsFunc(cfg, func(have record.ConfigLine) bool { return have.Key == name })
		first := name != "" && name[0] >= 'a' && name[0] <= 'z'
		if first && record.IsWord(name) && !taken && value != "" && !strings.ContainsAny(value, "\r\n") {
			cfg = append(cfg, record.ConfigLine{Key: name, Value: value})
		}
	}
	return cfg
}
