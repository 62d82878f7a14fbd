package record

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func encoded(t testing.TB, r Record) []byte {
	t.Helper()
	line, err := Encode(r)
	if err != nil {
		t.Fatal(err)
	}
	return line
}

func TestRoundTrip(t *testing.T) {
	line := encoded(t, sample())
	if n := bytes.Count(line, []byte("\n")); n != 1 || line[len(line)-1] != '\n' {
		t.Errorf("not one line: %q", line)
	}
	if !json.Valid(line) {
		t.Errorf("not JSON: %s", line)
	}
	got, err := Decode(line)
	if err != nil || !reflect.DeepEqual(got, sample()) {
		t.Errorf("got  %+v, %v\nwant %+v", got, err, sample())
	}
}

// TestGolden holds the encoding still: a change of it needs another Schema.
func TestGolden(t *testing.T) {
	r := sample()
	r.Verdict, r.Reason, r.Detail, r.Values = Certified, "", "", r.Values[:2]
	const want = `{"crc":"CRC","schema":"certify/record/1","run":"20260401-8f2c","seq":7,` +
		`"key":"exactly-once/injector=msqueue/deque=chaselev/workers=2/tasks=1000000/batch=4096/mode=race",` +
		`"rep":3,"seed":"18446744073709551615","verdict":"CERTIFIED","log":"logs/exactly-once,rep=3.log",` +
		`"repeat":"certify soak --drill exactly-once --seed 18446744073709551615",` +
		`"start":"2026-04-01T12:00:00.123456789Z","elapsedNs":1234567890,"cpuNs":2345678901,"peakB":52428800,` +
		`"values":[{"unit":"lost","value":1},{"unit":"duplicated","value":0}]}` + "\n"
	line := encoded(t, r)
	got := string(line[:8]) + "CRC" + string(line[16:])
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestEncodeNormalizes(t *testing.T) {
	r := sample()
	r.Start = r.Start.In(time.FixedZone("east", 3600))
	r.Schema = "whatever"
	if got := encoded(t, r); !bytes.Equal(got, encoded(t, sample())) {
		t.Errorf("got %s", got)
	}
	r.Detail = "bad \xff " + strings.Repeat("ü", 4000)
	got, err := Decode(encoded(t, r))
	if err != nil {
		t.Fatal(err)
	}
	if !utf8.ValidString(got.Detail) || len(got.Detail) > maxTextB || !strings.HasSuffix(got.Detail, " bytes cut]") {
		t.Errorf("detail: %d bytes, ends %q", len(got.Detail), got.Detail[len(got.Detail)-30:])
	}
}

func TestEncodeRefuses(t *testing.T) {
	for _, spoil := range []func(*Record){
		func(r *Record) { r.Seq = 0 },
		func(r *Record) { r.Run = "" },
		func(r *Record) { r.Run = "a b" },
		func(r *Record) { r.Key.Drill = "" },
		func(r *Record) { r.Start = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC) },
	} {
		r := sample()
		spoil(&r)
		if line, err := Encode(r); err == nil {
			t.Errorf("accepted: %s", line)
		}
	}
}

// TestEveryByte: whatever single byte is changed to whatever, it is noticed.
func TestEveryByte(t *testing.T) {
	line := encoded(t, sample())
	for i, was := range line {
		for b := range 256 {
			if line[i] = byte(b); line[i] == was {
				continue
			}
			if _, err := Decode(line); err == nil {
				t.Fatalf("byte %d: %#x for %#x: accepted", i, b, was)
			}
		}
		line[i] = was
	}
}

func TestEveryLength(t *testing.T) {
	line := encoded(t, sample())
	for n := range line {
		if _, err := Decode(line[:n]); err == nil {
			t.Fatalf("first %d bytes: accepted", n)
		}
		if n == len(line)-1 {
			break
		}
		if _, err := Decode(append(line[:n:n], '\n')); err == nil {
			t.Fatalf("first %d bytes and a newline: accepted", n)
		}
	}
	if _, err := Decode(append(line, '\n')); err == nil {
		t.Error("a newline more: accepted")
	}
}

// TestOneEncoding: a line with a good checksum that is not what Encode writes
// is refused, so that a field nobody knows cannot hide in the evidence.
func TestOneEncoding(t *testing.T) {
	reseal := func(old, new string) []byte {
		line := string(encoded(t, sample()))
		if !strings.Contains(line, old) {
			t.Fatalf("no %s in %s", old, line)
		}
		sealed, err := Seal(json.RawMessage("{" + strings.Replace(line[prefixLen:], old, new, 1)))
		if err != nil {
			t.Fatal(err)
		}
		return sealed
	}
	if _, err := Decode(reseal(`"rep":3`, `"rep":4`)); err != nil {
		t.Errorf("another record: %v", err)
	}
	for _, row := range [][2]string{
		{`"rep":3`, `"rep":3,"extra":1`},
		{`"rep":3`, `"rep":3,"rep":3`},
		{`"rep":3`, `"REP":3`},
		{`"rep":3`, `"rep":-3`},
		{`"seed":"18446744073709551615"`, `"seed":"018446744073709551615"`},
		{`"seed":"18446744073709551615"`, `"seed":"18446744073709551616"`},
		{`certify/record/1`, `certify/record/2`},
		{`"FAILED"`, `"CERTIFIED"`},
		{`123456789Z`, `123456789+00:00`},
		{`"value":0.1`, `"value":0.10`},
		{`"value":0.1`, `"value":1e999`},
	} {
		if _, err := Decode(reseal(row[0], row[1])); err == nil {
			t.Errorf("%s: accepted", row[1])
		}
	}
}

func TestConvertedFile(t *testing.T) {
	line := bytes.ReplaceAll(encoded(t, sample()), []byte("\n"), []byte("\r\n"))
	if _, err := Decode(line); err == nil || !strings.Contains(err.Error(), "CR LF") {
		t.Errorf("got %v", err)
	}
}

// FuzzDecode: what is accepted is well formed and has one encoding.
func FuzzDecode(f *testing.F) {
	f.Add(encoded(f, sample()))
	f.Add([]byte("{}\n"))
	f.Add([]byte(crcOpen + "00000000" + crcClose + "}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		lines := [][]byte{data}
		// Random bytes never have a good checksum, so give them one.
		if sealed, err := Seal(json.RawMessage(data)); err == nil {
			lines = append(lines, sealed)
		}
		for _, line := range lines {
			r, err := Decode(line)
			if err != nil {
				continue
			}
			if err := r.Validate(); err != nil {
				t.Errorf("accepted: %v", err)
			}
			if again, err := Encode(r); err != nil || !bytes.Equal(again, line) {
				t.Errorf("another encoding: %q, %v", again, err)
			}
		}
	})
}
