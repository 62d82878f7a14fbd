package record

import (
	"math"
	"reflect"
	"strings"
	"testing"
	"time"
)

// sample is a record with every field set.
func sample() Record {
	return Record{
		Schema: Schema,
		Run:    "20260401-8f2c",
		Seq:    7,
		Key: Key{"exactly-once", []Param{
			{"injector", "msqueue"}, {"deque", "chaselev"}, {"workers", "2"},
			{"tasks", "1000000"}, {"batch", "4096"}, {"mode", "race"},
		}},
		Rep:       3,
		Seed:      math.MaxUint64,
		Verdict:   Failed,
		Reason:    Lost,
		Detail:    "lost 1: task 17 <never> ran & \"why\"\nüber",
		Log:       "logs/exactly-once,rep=3.log",
		Repeat:    "certify soak --drill exactly-once --seed 18446744073709551615",
		Start:     time.Date(2026, 4, 1, 12, 0, 0, 123456789, time.UTC),
		ElapsedNs: 1234567890,
		CPUNs:     2345678901,
		PeakB:     50 << 20,
		Values:    []Value{{"lost", 1}, {"duplicated", 0}, {"steals", 123456}, {"park-ns", 0.1}},
	}
}

func TestVerdict(t *testing.T) {
	for _, row := range []struct {
		verdict Verdict
		word    string
		exit    int
	}{
		{Certified, "CERTIFIED", 0},
		{Failed, "FAILED", 1},
		{Inconclusive, "INCONCLUSIVE", 3},
		{0, "Verdict(0)", 4},
		{9, "Verdict(9)", 4},
	} {
		if got := row.verdict.String(); got != row.word {
			t.Errorf("%d: got %q want %q", row.verdict, got, row.word)
		}
		if got := row.verdict.ExitCode(); got != row.exit {
			t.Errorf("%s: got exit %d want %d", row.word, got, row.exit)
		}
		var back Verdict
		err := back.UnmarshalText([]byte(row.word))
		if known := row.exit != 4; (err == nil) != known || known && back != row.verdict {
			t.Errorf("%s: read back %v, %v", row.word, back, err)
		}
	}
	if worst := max(Certified, Inconclusive, Failed); worst != Failed {
		t.Errorf("worst is %v", worst)
	}
}

func TestReasonVerdict(t *testing.T) {
	for reason, want := range map[Reason]Verdict{
		"": Certified, Lost: Failed, Regression: Failed, Guard: Inconclusive, Interrupted: Inconclusive, "tired": 0,
	} {
		if got := reason.Verdict(); got != want {
			t.Errorf("%q: got %v want %v", reason, got, want)
		}
	}
}

func TestKey(t *testing.T) {
	key := sample().Key
	const want = "exactly-once/injector=msqueue/deque=chaselev/workers=2/tasks=1000000/batch=4096/mode=race"
	if got := key.String(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := key.BenchmarkName(); got != "BenchmarkSoak/drill="+want {
		t.Errorf("got %s", got)
	}
	var back Key
	if err := back.UnmarshalText([]byte(want)); err != nil || !reflect.DeepEqual(back, key) {
		t.Errorf("read back %v, %v", back, err)
	}
}

func TestKeyRefused(t *testing.T) {
	for _, key := range []Key{
		{},
		{Drill: "exactly once"},
		{Drill: "a/b"},
		{Drill: "a\n"},
		{Drill: "größe"},
		{Drill: "a", Params: []Param{{"n", ""}}},
		{Drill: "a", Params: []Param{{"", "1"}}},
		{Drill: "a", Params: []Param{{"n", "x=y"}}},
		{Drill: "a", Params: []Param{{"n", "1"}, {"n", "2"}}},
		{Drill: "a", Params: []Param{{"drill", "b"}}},
		{Drill: "a", Params: []Param{{"commit", "v1-8"}}},
	} {
		if err := key.Validate(); err == nil {
			t.Errorf("%q: accepted", key)
		}
		var back Key
		if err := back.UnmarshalText([]byte(key.String())); err == nil {
			t.Errorf("%q: read back", key)
		}
	}
}

func TestValidate(t *testing.T) {
	if err := sample().Validate(); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name  string
		spoil func(*Record)
	}{
		{"rep", func(r *Record) { r.Rep = 0 }},
		{"elapsedNs", func(r *Record) { r.ElapsedNs = -1 }},
		{"peakB", func(r *Record) { r.PeakB = -1 }},
		{"reason", func(r *Record) { r.Reason = "tired" }},
		{"verdict", func(r *Record) { r.Verdict = Certified }},
		{"verdict", func(r *Record) { r.Verdict, r.Reason = 0, "" }},
		{"log", func(r *Record) { r.Log = "/etc/passwd" }},
		{"log", func(r *Record) { r.Log = "../x" }},
		{"one line", func(r *Record) { r.Repeat = "a\nb" }},
		{"one line", func(r *Record) { r.Repeat = "\xff" }},
		{"one line", func(r *Record) { r.Repeat = strings.Repeat("x", 5000) }},
		{"steals", func(r *Record) { r.Values[2].Value = math.NaN() }},
		{"steals", func(r *Record) { r.Values[2].Value = math.Inf(-1) }},
		{"given twice", func(r *Record) { r.Values[2].Unit = "lost" }},
		{"given twice", func(r *Record) { r.Values[2].Unit = "park-sec" }},
		{"taken", func(r *Record) { r.Values[2].Unit = "failed" }},
		{"letters", func(r *Record) { r.Values[2].Unit = "a b" }},
		{"letters", func(r *Record) { r.Values[2].Unit = "" }},
		{"scaled", func(r *Record) { r.Values[2].Unit = "park-ms" }},
		{"scaled", func(r *Record) { r.Values[2].Unit = "MB/s" }},
	} {
		r := sample()
		row.spoil(&r)
		if err := r.Validate(); err == nil || !strings.Contains(err.Error(), row.name) {
			t.Errorf("%s: got %v", row.name, err)
		}
	}
}
