package campaign

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// TestModules: of a runner, which has libraries from go.sum, and the module of the
// checkout, which has no version.
func TestModules(t *testing.T) {
	runner := filepath.Join(t.TempDir(), "runner")
	if _, err := Build(t.Context(), runner, false, ""); err != nil {
		t.Fatal(err)
	}
	modules, err := Modules(runner)
	if err != nil {
		t.Fatal(err)
	}
	form := regexp.MustCompile(`^[a-z0-9.]+(/\S+)?@v\S+$`)
	for name, sum := range modules {
		if !form.MatchString(name) || len(sum) != 64 {
			t.Errorf("%s %s: want path@version and 64 digits", name, sum)
		}
	}
	if len(modules) == 0 {
		t.Error("no modules at all")
	}
	none := filepath.Join(t.TempDir(), "none")
	if err := os.WriteFile(none, []byte("no binary"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{none, filepath.Join(t.TempDir(), "none")} {
		if _, err := Modules(bad); err == nil {
			t.Errorf("%s: accepted", bad)
		}
	}
}
