package record

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchunit"
)

// ConfigLine is one line of facts above the results: goos, cpu, certify.
type ConfigLine struct{ Key, Value string }

// Units that every line has, or that are derived from fields of the record.
// A Value may not take their names.
const (
	unitElapsed      = "ns/op"
	unitCPU          = "cpu-ns"
	unitPeak         = "peak-B"
	unitFailed       = "failed"
	unitInconclusive = "inconclusive"
)

// WriteBench writes recs, in their order, in the Go benchmark format: what is
// known of the units, the lines of cfg, then one line a repetition. Failed
// repetitions too, with whatever they measured: leaving them out would make
// the worst subject look like the best.
func WriteBench(w io.Writer, cfg []ConfigLine, recs []Record) error {
	config, err := benchConfig(cfg)
	if err != nil {
		return err
	}
	results := make([]*benchfmt.Result, len(recs))
	for i, r := range recs {
		if err := r.Validate(); err != nil {
			return err
		}
		results[i] = benchResult(r, config)
	}
	out := benchfmt.NewWriter(w)
	// Units come first since the writer puts the configuration right above
	// the first result.
	for _, u := range metadata(results) {
		if err := out.Write(u); err != nil {
			return fmt.Errorf("record: write benchmark: %w", err)
		}
	}
	for _, r := range results {
		if err := out.Write(r); err != nil {
			return fmt.Errorf("record: write benchmark: %w", err)
		}
	}
	return nil
}

func benchConfig(cfg []ConfigLine) ([]benchfmt.Config, error) {
	var config []benchfmt.Config
	for _, c := range cfg {
		// An empty value would delete the key, and the reader trims blanks.
		if !isConfigKey(c.Key) || c.Value == "" || strings.TrimSpace(c.Value) != c.Value || strings.ContainsAny(c.Value, "\r\n") {
			return nil, fmt.Errorf("record: write benchmark: configuration %q: %q: not one line", c.Key, c.Value)
		}
		if slices.ContainsFunc(config, func(have benchfmt.Config) bool { return have.Key == c.Key }) {
			return nil, fmt.Errorf("record: write benchmark: configuration %s: given twice", c.Key)
		}
		config = append(config, benchfmt.Config{Key: c.Key, Value: []byte(c.Value), File: true})
	}
	return config, nil
}

func isConfigKey(key string) bool {
	return IsWord(key) && key == strings.ToLower(key) && key[0] >= 'a' && key[0] <= 'z'
}

func benchResult(r Record, config []benchfmt.Config) *benchfmt.Result {
	res := &benchfmt.Result{
		Config: config,
		Name:   benchfmt.Name(benchPrefix + r.Key.String()),
		Iters:  1,
		Values: []benchfmt.Value{
			exactly(unitFailed, r.Verdict == Failed),
			exactly(unitInconclusive, r.Verdict == Inconclusive),
		},
	}
	for _, m := range []Value{
		{unitElapsed, float64(r.ElapsedNs)},
		{unitCPU, float64(r.CPUNs)},
		{unitPeak, float64(r.PeakB)},
	} {
		if m.Value > 0 { // 0 is not known, and not a measurement
			res.Values = append(res.Values, measured(m))
		}
	}
	for _, v := range r.Values {
		res.Values = append(res.Values, measured(v))
	}
	return res
}

func exactly(unit string, is bool) benchfmt.Value {
	if is {
		return benchfmt.Value{Value: 1, Unit: unit}
	}
	return benchfmt.Value{Value: 0, Unit: unit}
}

// measured puts v into base units: the reader leaves a zero in ns as it is
// and so would file it under another unit than its neighbours. Only ns/op
// stays, since it is the unit that other tools look for.
func measured(v Value) benchfmt.Value {
	value, unit := benchunit.Tidy(v.Value, v.Unit)
	if v.Unit == unitElapsed {
		return benchfmt.Value{Value: value, Unit: unit, OrigValue: v.Value, OrigUnit: v.Unit}
	}
	return benchfmt.Value{Value: value, Unit: unit}
}

// exactUnits are counts of broken laws: one is one too many, so a comparison
// must not average them away.
var exactUnits = []string{unitFailed, unitInconclusive, "lost", "duplicated", "alien", "reordered", "races", "leaked"}

// metadata returns what benchstat must be told of the units of results, in
// the order of the alphabet.
func metadata(results []*benchfmt.Result) []*benchfmt.UnitMetadata {
	units := map[string]bool{}
	for _, r := range results {
		for _, v := range r.Values {
			units[v.Unit] = true
		}
	}
	var known []*benchfmt.UnitMetadata
	add := func(unit, key, value string) {
		known = append(known, &benchfmt.UnitMetadata{
			UnitMetadataKey: benchfmt.UnitMetadataKey{Unit: unit, Key: key}, OrigUnit: unit, Value: value,
		})
	}
	for _, unit := range slices.Sorted(maps.Keys(units)) {
		if slices.Contains(exactUnits, unit) {
			add(unit, "assume", "exact")
		}
		if better := direction(unit); better != "" {
			add(unit, "better", better)
		}
	}
	return known
}

// direction says whether lower or higher is better, where that is known.
// Steals and parks are neither.
func direction(unit string) string {
	switch {
	case slices.Contains(exactUnits, unit):
		return "lower"
	case strings.HasSuffix(unit, "/s"):
		return "higher"
	case slices.ContainsFunc(unitWords(unit), func(w string) bool { return w == "sec" || w == "B" }):
		return "lower"
	}
	return ""
}

// checkUnit refuses a unit that benchstat would misread.
func checkUnit(unit string) error {
	switch unit {
	case unitElapsed, "sec/op", unitCPU, "cpu-sec", unitPeak, unitFailed, unitInconclusive:
		return errors.New("taken: it is derived from the record")
	}
	if unit == "" || strings.Trim(unit, wordBytes+"/") != "" {
		return errors.New("want letters, digits and _.-/")
	}
	for _, w := range unitWords(unit) {
		if slices.Contains(scaledUnits, w) {
			return errors.New("want B or ns: benchstat does not know scaled units")
		}
	}
	return nil
}

// scaledUnits are not put into base units by benchstat, or, like MB, only in
// part: peak-MB becomes a peak-B that prints with binary prefixes.
var scaledUnits = []string{"us", "ms", "KB", "MB", "GB", "KiB", "MiB", "GiB"}

func unitWords(unit string) []string {
	return strings.FieldsFunc(unit, func(c rune) bool { return c == '-' || c == '/' })
}
