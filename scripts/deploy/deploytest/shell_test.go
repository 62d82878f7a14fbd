package deploytest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// scripts are the shell scripts of the checkout.
func scripts(t *testing.T) (all []string) {
	t.Helper()
	for _, pattern := range []string{"*.sh", "deploy/*.sh", "deploy/*/*.sh", "deploy/*/*.sbatch"} {
		found, err := filepath.Glob(filepath.Join(root, "scripts", pattern))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, found...)
	}
	if len(all) < 8 {
		t.Fatalf("found only %q", all)
	}
	return all
}

// TestScripts holds each script to bash, to shellcheck where it is there, and to
// stopping at the first error.
func TestScripts(t *testing.T) {
	for _, name := range scripts(t) {
		if code, said := execute(t, nil, "bash", "-n", name); code != 0 {
			t.Errorf("%s: %s", name, said)
		}
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(data), "\nset -euo pipefail\n") {
			t.Errorf("%s: no set -euo pipefail", name)
		}
	}
	if code, _ := execute(t, nil, "bash", "-c", "if true"); code == 0 {
		t.Error("bash takes what is not a script")
	}
}

func TestShellcheck(t *testing.T) {
	if _, err := exec.LookPath("shellcheck"); err != nil {
		t.Skip("no shellcheck on the PATH")
	}
	if code, said := execute(t, nil, "shellcheck", scripts(t)...); code != 0 {
		t.Error(said)
	}
	bad := filepath.Join(t.TempDir(), "bad.sh")
	if err := os.WriteFile(bad, []byte("#!/bin/bash\nrm -rf $1/*\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if code, _ := execute(t, nil, "shellcheck", bad); code == 0 {
		t.Error("shellcheck takes a word that is not quoted")
	}
}
