package table

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the table that there is now")

func TestTable(t *testing.T) {
	raw, err := os.Open("testdata/raw.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	var got bytes.Buffer
	if err := Write(&got, raw); err != nil {
		t.Fatal(err)
	}
	const golden = "testdata/table.md"
	if *update {
		if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Errorf("got another table than %s; -update writes it:\n%s", golden, got.Bytes())
	}
}

// What is no result is an error, and no empty table.
func TestNoTable(t *testing.T) {
	for _, raw := range []string{"", "go: go1\n", "BenchmarkSubmit/pool=certify\t1\tx ns/op\n"} {
		if err := Write(new(bytes.Buffer), strings.NewReader(raw)); err == nil {
			t.Errorf("a table of %q", raw)
		}
	}
}

func TestFormat(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{nanoseconds(0), "0 ns"}, {nanoseconds(3.456), "3.46 ns"}, {nanoseconds(9999), "9999 ns"},
		{nanoseconds(12_345), "12.3 us"}, {nanoseconds(1.5e6), "1.50 ms"}, {nanoseconds(2.5e9), "2.50 s"},
		{byteCount(0.3), "0 B"}, {byteCount(24.04), "24.0 B"}, {count(0.0001), "0.000"}, {count(1.0004), "1.000"}, {times(2), "2.00x"},
	} {
		if c.got != c.want {
			t.Errorf("got %s, want %s", c.got, c.want)
		}
	}
}
