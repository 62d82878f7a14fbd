package certify

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strings"
	"testing"
)

// The limits of size: a file, and a function, that does two things is two.
const (
	fileLimit     = 400
	functionLimit = 70
)

// bans are what no file may contain, each with what to do instead.
var bans = []struct {
	pattern *regexp.Regexp
	instead string
}{
	{regexp.MustCompile(`//go:linkname|//go:norace|//go:nosplit`), "plain Go: the race detector must see everything"},
	{regexp.MustCompile(`\batomic\.(Add|Load|Store|Swap|CompareAndSwap|And|Or)(Int|Uint|Pointer)`), "the types of sync/atomic, which are aligned on every platform"},
	{regexp.MustCompile(`\b(TODO|FIXME|XXX)\b`), "do it, or leave it out"},
}

// unsafeAllowed are the files that may import unsafe, each with the reason.
var unsafeAllowed = map[string]string{
	"soak/explore/atomic/functions.go": "functions of sync/atomic that take an unsafe.Pointer",
	"soak/child/group_windows.go":      "structures of the Windows API",
	"soak/guard/guard_windows.go":      "structures of the Windows API",
}

// TestTidy holds the style that a machine can hold.
func TestTidy(t *testing.T) {
	for file := range goFiles(t) {
		if file == "tidy_test.go" {
			continue // it spells out what it bans
		}
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, complaint := range complaints(file, string(source)) {
			t.Errorf("%s: %s", file, complaint)
		}
	}
}

// TestTidyComplains shows the checks what they must find.
func TestTidyComplains(t *testing.T) {
	long := "package p\n\nfunc f() {\n" + strings.Repeat("\t_ = 0\n", functionLimit) + "}\n"
	for name, source := range map[string]string{
		"linkname": "package p\n\n//go:linkname f runtime.f\nfunc f()\n",
		"atomic":   "package p\n\nimport \"sync/atomic\"\n\nvar n int64\n\nfunc f() { atomic.AddInt64(&n, 1) }\n",
		"to do":    "package p\n\n// TODO: everything\n",
		"unsafe":   "package p\n\nimport _ \"unsafe\"\n",
		"function": long,
		"file":     "package p\n" + strings.Repeat("\n", fileLimit),
		"syntax":   "package\n",
	} {
		if len(complaints("p.go", source)) != 1 {
			t.Errorf("%s: complaints %q, want one", name, complaints("p.go", source))
		}
	}
	if c := complaints("p.go", "package p\n\nfunc f() {}\n"); c != nil {
		t.Errorf("a tidy file: %q", c)
	}
}

func complaints(file, source string) (all []string) {
	if n := strings.Count(source, "\n"); n > fileLimit {
		all = append(all, fmt.Sprintf("%d lines, more than %d", n, fileLimit))
	}
	for _, ban := range bans {
		if found := ban.pattern.FindString(source); found != "" {
			all = append(all, fmt.Sprintf("%s: use %s", found, ban.instead))
		}
	}
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, file, source, parser.ParseComments)
	if err != nil {
		return append(all, err.Error())
	}
	for _, spec := range f.Imports {
		if spec.Path.Value == `"unsafe"` && unsafeAllowed[file] == "" {
			all = append(all, "imports unsafe")
		}
	}
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok {
			if n := set.Position(fn.End()).Line - set.Position(fn.Pos()).Line + 1; n > functionLimit {
				all = append(all, fmt.Sprintf("%s has %d lines, more than %d", fn.Name.Name, n, functionLimit))
			}
		}
	}
	return all
}
