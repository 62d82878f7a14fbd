package soak

import (
	"os"
	"runtime"
	"testing"

	"github.com/exactlyonce/certify/reports/record"
)

// Whoever closes or replaces what the verdict depends on is not clean.
func TestStandardStreams(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("pipes have no identity there")
	}
	open := func() *os.File {
		f, err := os.CreateTemp(t.TempDir(), "end")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = f.Close() })
		return f
	}
	verdict := func(e stream) record.Verdict {
		o := Outcome{Verdict: record.Certified}
		o.checkStreams([]stream{e})
		return o.Verdict
	}
	one, other := open(), open()
	was, err := one.Stat()
	if err != nil {
		t.Fatal(err)
	}
	if v := verdict(stream{"error", one, was}); v != record.Certified {
		t.Errorf("as it was: %s", v)
	}
	if v := verdict(stream{"error", other, was}); v != record.Failed {
		t.Errorf("another one: %s", v)
	}
	if v := verdict(stream{"error", one, nil}); v != record.Failed {
		t.Errorf("closed from the beginning: %s", v)
	}
	_ = one.Close()
	if v := verdict(stream{"error", one, was}); v != record.Failed {
		t.Errorf("closed: %s", v)
	}
}
