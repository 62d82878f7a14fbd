package rewrite_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/exactlyonce/certify/soak/explore/rewrite"
)

// subject copies testdata to a place of its own and returns the main module.
func subject(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata")); err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(dir, "subject", "go.mod.txt"))
	if err != nil {
		t.Fatal(err)
	}
	mod = bytes.ReplaceAll(mod, []byte("CERTIFY"), []byte(root))
	mod = append(mod, requirements(t, root)...)
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "subject", "go.sum"), sum, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "subject", "go.mod"), mod, 0o644); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "subject")
}

// requirements is what a tidy go.mod says of the modules that certify needs.
func requirements(t *testing.T, root string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	_, blocks, _ := strings.Cut(string(text), "require (")
	blocks, _, _ = strings.Cut(blocks, "\ntool ")
	return "\nrequire (" + blocks
}

func digest(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(filepath.Join(dir, name))
		all.WriteString(name + "\n" + string(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

// TestRewrite: a module and its dependency, with all ways to say sync and go,
// are built with shims under them and explored, and not touched.
func TestRewrite(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	dir, work := subject(t), t.TempDir()
	before := digest(t, filepath.Dir(dir))
	r, err := rewrite.Rewrite(rewrite.Subject{Dir: dir, Patterns: []string{"./driver"}, Work: work})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", append(append([]string{"run"}, r.Flags...), "./driver")...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if got, want := string(out), "passed 500 13 <nil>\npassed true true true <nil>\n"; got != want {
		t.Errorf("the driver said\n%swant\n%s", got, want)
	}
	if digest(t, filepath.Dir(dir)) != before {
		t.Error("the subject was touched")
	}
	sameLines(t, filepath.Join(dir, "counter", "counter.go"), filepath.Join(work, "overlay.json"))
	found := map[string]int{}
	for _, s := range r.Sites {
		found[s.Kind+" "+s.At]++
	}
	for _, want := range []string{"map order counter.go:", "select counter.go:", "channel counter.go:"} {
		n := 0
		for s := range found {
			if strings.HasPrefix(s, want) {
				n++
			}
		}
		if n == 0 {
			t.Errorf("no site %s in %v", want, r.Sites)
		}
	}
	t.Log(r.Packages, r.Sites)
}

// sameLines checks that what was rewritten stands on the lines on which it was.
func sameLines(t *testing.T, original, overlay string) {
	t.Helper()
	text, err := os.ReadFile(overlay)
	if err != nil {
		t.Fatal(err)
	}
	var o struct{ Replace map[string]string }
	if err := json.Unmarshal(text, &o); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(original)
	if err != nil {
		t.Fatal(err)
	}
	after, err := os.ReadFile(o.Replace[original])
	if err != nil {
		t.Fatal(err)
	}
	a, b := strings.Split(string(before), "\n"), strings.Split(string(after), "\n")
	changed := 0
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			changed++
		}
	}
	if len(a) != len(b) || changed == 0 || changed > 25 {
		t.Errorf("%d lines became %d, %d of them changed", len(a), len(b), changed)
	}
	for _, want := range []string{
		`; import (certifycontrol "github.com/exactlyonce/certify/soak/explore/control"; certifyruntime "github.com/exactlyonce/certify/soak/explore/runtime"; )`,
		`certifyF := c.Add; certifyA0 := v; return func() { certifyF(certifyA0) } }())`,
		`certifyA0, certifyA1 := two(); return func() { store(certifyA0, certifyA1) } }())`,
		`_ "runtime"`,
	} {
		if !strings.Contains(string(after), want) {
			t.Errorf("no %s in\n%s", want, after)
		}
	}
}
