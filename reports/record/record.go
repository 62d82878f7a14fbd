package record

import (
	"fmt"
	"io/fs"
	"math"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/perf/benchunit"
)

// Schema names the encoding. Another one is refused, never guessed at.
const Schema = "certify/record/1"

// Record is the result of one repetition.
type Record struct {
	Schema string `json:"schema"` // set by Encode
	Run    string `json:"run"`    // which run made it
	Seq    int    `json:"seq"`    // 1, 2, 3 ... within its file; a gap is a lost line

	Key  Key    `json:"key"`
	Rep  int    `json:"rep"`         // 1-based within the key
	Seed uint64 `json:"seed,string"` // a string in JSON: JavaScript keeps 53 bits of a number

	Verdict Verdict `json:"verdict"`
	Reason  Reason  `json:"reason,omitempty"`
	Detail  string  `json:"detail,omitempty"` // for people; Encode cuts it at 4 KiB and says so
	Log     string  `json:"log,omitempty"`    // slash path relative to the run directory
	Repeat  string  `json:"repeat,omitempty"` // the command that repeats it

	Start     time.Time `json:"start"`
	ElapsedNs int64     `json:"elapsedNs"`
	CPUNs     int64     `json:"cpuNs"` // user and system; 0 when not known
	PeakB     int64     `json:"peakB"` // resident; 0 when not known
	Values    []Value   `json:"values,omitempty"`
}

// Value is one more thing that was measured. Units are counts (lost, steals),
// B, ns, or rates of these (steals/s).
type Value struct {
	Unit  string  `json:"unit"`
	Value float64 `json:"value"`
}

// Validate returns an error that names the first field which is not well
// formed. Run and Seq, the place of r in a file, are for Encode to check.
func (r Record) Validate() error {
	for _, check := range []func() error{
		r.Key.Validate, r.validateCounts, r.validateVerdict, r.validateText, r.validateValues,
	} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (r Record) errorf(format string, args ...any) error {
	return fmt.Errorf("record: %s rep %d: "+format, append([]any{r.Key, r.Rep}, args...)...)
}

func (r Record) validateCounts() error {
	for _, f := range []struct {
		name     string
		got, min int64
	}{
		{"rep", int64(r.Rep), 1},
		{"elapsedNs", r.ElapsedNs, 0},
		{"cpuNs", r.CPUNs, 0},
		{"peakB", r.PeakB, 0},
	} {
		if f.got < f.min {
			return r.errorf("%s %d: want at least %d", f.name, f.got, f.min)
		}
	}
	return nil
}

func (r Record) validateVerdict() error {
	want, ok := reasons[r.Reason]
	if !ok {
		return r.errorf("reason %q: not a reason", r.Reason)
	}
	if r.Verdict != want {
		return r.errorf("verdict %s with reason %q, which belongs to %s", r.Verdict, r.Reason, want)
	}
	return nil
}

func (r Record) validateText() error {
	// A back slash or a colon leads elsewhere on Windows.
	if r.Log != "" && (!fs.ValidPath(r.Log) || strings.ContainsAny(r.Log, `\:`)) {
		return r.errorf("log %.80q: want a slash path below the run directory", r.Log)
	}
	for _, s := range []string{r.Log, r.Repeat} {
		if !utf8.ValidString(s) || strings.ContainsFunc(s, unicode.IsControl) || len(s) > maxTextB {
			return r.errorf("%.80q: want one line of UTF-8, without controls, below %d bytes", s, maxTextB)
		}
	}
	return nil
}

func (r Record) validateValues() error {
	seen := map[string]bool{}
	for _, v := range r.Values {
		if err := checkUnit(v.Unit); err != nil {
			return r.errorf("unit %q: %w", v.Unit, err)
		}
		_, base := benchunit.Tidy(v.Value, v.Unit)
		if seen[base] {
			return r.errorf("unit %s: given twice", v.Unit)
		}
		seen[base] = true
		// One NaN in a sample makes a rank test allocate without bound.
		if math.IsNaN(v.Value) || math.IsInf(v.Value, 0) {
			return r.errorf("unit %s: value %v: not finite", v.Unit, v.Value)
		}
	}
	return nil
}

// maxTextB bounds each text of a record: evidence in full is in the log.
const maxTextB = 4 << 10

// cutText makes s valid and short. What is cut off is said, and cutting twice
// is cutting once.
func cutText(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= maxTextB {
		return s
	}
	keep := maxTextB - 64
	for !utf8.RuneStart(s[keep]) {
		keep--
	}
	return fmt.Sprintf("%s ... [%d bytes cut]", s[:keep], len(s)-keep)
}
