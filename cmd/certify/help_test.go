package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// examples are the command lines in the help of a command and of those below.
func examples(c *cobra.Command) (lines [][]string) {
	for line := range strings.Lines(c.Example) {
		line, _, _ = strings.Cut(line, "#")
		if words := strings.Fields(line); len(words) > 0 {
			lines = append(lines, words)
		}
	}
	for _, sub := range c.Commands() {
		lines = append(lines, examples(sub)...)
	}
	return lines
}

// TestExamples: every example in the help is a command with a plan that makes
// sense. It gets as far as its directory, which is a file here.
func TestExamples(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	lines := examples(newRoot(nil, nil))
	if len(lines) < 6 {
		t.Errorf("found %d examples only", len(lines))
	}
	for _, words := range lines {
		var out, err bytes.Buffer
		if words[1] != "run" && words[1] != "soak" { // what it reads is not here; its flags are
			if code := run(append(words[1:], "--help"), &out, &err); code != 0 {
				t.Errorf("%q: exit code %d, %s", words, code, &err)
			}
			continue
		}
		code := run(slices.Concat(words[1:], []string{"--race=false", "--out", file}), &out, &err)
		if words[0] != "certify" || code != exitUsage || !strings.HasPrefix(err.String(), "certify: --out: ") {
			t.Errorf("%q: exit code %d, %s", words, code, &err)
		}
	}
}

// TestHelp: every command has a line about it, and every flag too.
func TestHelp(t *testing.T) {
	for _, c := range newRoot(nil, nil).Commands() {
		var out, err bytes.Buffer
		if code := run([]string{c.Name(), "--help"}, &out, &err); code != 0 || c.Short == "" || err.Len() > 0 {
			t.Errorf("%s: exit code %d, short %q, %s", c.Name(), code, c.Short, &err)
		}
		if !strings.Contains(out.String(), "Usage:\n  certify "+c.Name()) {
			t.Errorf("%s: help without its usage:\n%s", c.Name(), &out)
		}
	}
}
