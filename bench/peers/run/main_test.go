package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A sitting writes its table and its samples, and the table again from the samples.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	s := settings{
		out: filepath.Join(dir, "p.md"), pattern: "^Chain/.*/pool=(certify|chan)$",
		anyNoise: true, rounds: 2, window: time.Millisecond, seed: 1,
	}
	if err := s.run(context.Background()); err != nil {
		t.Fatal(err)
	}
	made, err := os.ReadFile(s.out)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| chain, each task gives the next: CPU a task", "chan ", "Not run here: tbb: not built."} {
		if !strings.Contains(string(made), want) {
			t.Errorf("the table lacks %q:\n%s", want, made)
		}
	}
	again := settings{from: filepath.Join(dir, "p.txt"), out: filepath.Join(dir, "again.md")}
	if err := again.run(context.Background()); err != nil {
		t.Fatal(err)
	}
	if other, err := os.ReadFile(again.out); err != nil || !bytes.Equal(other, made) {
		t.Errorf("another table from the same samples, error %v:\n%s", err, other)
	}
}

// Nothing to measure is an error.
func TestNothing(t *testing.T) {
	s := settings{pattern: "^Nothing$", rounds: 1, window: time.Millisecond}
	if err := s.run(context.Background()); err == nil {
		t.Error("no error")
	}
	s = settings{from: filepath.Join(t.TempDir(), "absent")}
	if err := s.run(context.Background()); err == nil {
		t.Error("no error of a file that is not there")
	}
}
