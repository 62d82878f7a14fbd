package rewrite_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/exactlyonce/certify/soak/explore/rewrite"
)

// TestBuild: a driver for a module alone, in a workspace of its own, and in one of
// several modules, with a dependency inside of the workspace and others outside,
// which are copied. Nothing of the workspace is touched.
func TestBuild(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	for _, row := range []struct {
		name, work string
		copies     bool // it needs a go.work for what is copied
	}{
		{"alone", "", false},
		{"workspace of one", "go 1.26.0\n\nuse ./subject\n", true},
		{"workspace of two", "go 1.26.0\n\nuse (\n\t./subject\n\t./other\n)\n", true},
		{"workspace of all", "go 1.26.0\n\nuse (\n\t./subject\n\t./dep\n\t./other\n)\n", false},
		{"workspace that replaces", "go 1.26.0\n\nuse ./subject\n\nreplace example.com/dep v0.0.0 => ./dep\n", true},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Setenv("GOWORK", "")
			t.Setenv("GOFLAGS", "")
			dir := subject(t)
			put(t, filepath.Join(dir, "..", "other", "go.mod"), "module example.com/other\n\ngo 1.26.0\n")
			if row.work != "" {
				put(t, filepath.Join(dir, "..", "go.work"), row.work)
			}
			driver, err := os.ReadFile(filepath.Join(dir, "driver", "main.go"))
			if err != nil {
				t.Fatal(err)
			}
			text := strings.Replace(string(driver), `"sync"`, `"github.com/exactlyonce/certify/soak/explore/sync"`, 1) // a driver is as it is
			before := digest(t, filepath.Dir(dir))
			bin := filepath.Join(t.TempDir(), "driver.exe")
			r, err := rewrite.Build(rewrite.Subject{
				Dir: filepath.Join(dir, "counter"), Work: t.TempDir(), Patterns: []string{"example.com/subject/driver"},
			}, text, bin)
			if err != nil {
				t.Fatal(err)
			}
			out, err := exec.Command(bin).CombinedOutput()
			if got, want := string(out), "passed 500 13 <nil>\npassed true true true <nil>\n"; got != want || err != nil {
				t.Errorf("the driver said\n%s, %v, want\n%s", got, err, want)
			}
			if (len(r.Env) > 0) != row.copies {
				t.Errorf("environment %q", r.Env)
			}
			if digest(t, filepath.Dir(dir)) != before {
				t.Error("the workspace was touched")
			}
		})
	}
}

func put(t *testing.T, name, text string) {
	t.Helper()
	err := os.MkdirAll(filepath.Dir(name), 0o755)
	if err == nil {
		err = os.WriteFile(name, []byte(text), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestBuildOutside: where there is no module there is nothing to build.
func TestBuildOutside(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	t.Setenv("GOWORK", "off")
	_, err := rewrite.Build(rewrite.Subject{Dir: t.TempDir(), Work: t.TempDir()}, "package main", "x")
	if err == nil || !strings.Contains(err.Error(), "in no module") {
		t.Errorf("built: %v", err)
	}
}
