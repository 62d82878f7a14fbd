package stress

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Mutant reads a source file and returns its absolute path, and its text with good,
// which must be there once, replaced by bad: what an overlay for the go command needs.
// The file is not touched.
func Mutant(t *testing.T, file, good, bad string) (path, text string) {
	t.Helper()
	path, err := filepath.Abs(filepath.FromSlash(file))
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(source), good); n != 1 {
		t.Fatalf("%s: %q occurs %d times, want once", file, good, n)
	}
	return path, strings.Replace(string(source), good, bad, 1)
}
