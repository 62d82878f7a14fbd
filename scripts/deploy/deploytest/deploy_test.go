// Package deploytest holds the files of scripts/deploy and .github/workflows to
// what the systems that they are for publish, and carries out the commands that
// are in them.
//
//	cd scripts/deploy/deploytest && go test ./...
//
// What needs something that is not here (shellcheck, slurmctld, a schema that
// cannot be downloaded) says so and is skipped. It is a module of its own, so that
// nobody else needs these libraries.
package deploytest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"sigs.k8s.io/json"
	"sigs.k8s.io/yaml"
)

// root is the checkout.
var root, _ = filepath.Abs("../../..")

// bin is for the command, which build makes.
var bin string

func TestMain(m *testing.M) {
	var err error
	if bin, err = os.MkdirTemp("", "deploytest-"); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(bin)
	os.Exit(code)
}

// build stamps the commit into it: shards of two commits do not belong together.
var build = sync.OnceValues(func() (string, error) {
	name := filepath.Join(bin, "certify")
	c := exec.Command("go", "build", "-buildvcs=auto", "-o", name, "./cmd/certify")
	c.Dir = root
	out, err := c.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%w: %s", err, out)
	}
	return name, err
})

// certify returns the command as it is now.
func certify(t *testing.T) string {
	t.Helper()
	name, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// read returns a file by its path from the root.
func read(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// decode decodes YAML into v as Kubernetes does: a field that v has no place for, or
// that is there twice or with other capitals, is an error.
func decode(data []byte, v any) error {
	data, err := yaml.YAMLToJSONStrict(data)
	if err != nil {
		return err
	}
	unknown, err := json.UnmarshalStrict(data, v)
	return errors.Join(append(unknown, err)...)
}

// changed returns text with one piece of it replaced, for a bad example.
func changed(t *testing.T, text, from, to string) string {
	t.Helper()
	if !strings.Contains(text, from) {
		t.Fatalf("there is no %q to replace", from)
	}
	return strings.Replace(text, from, to, 1)
}

// published returns a file of a Go module as it was released, which Go holds to
// the public checksums.
func published(t *testing.T, module, file string) any {
	t.Helper()
	download := exec.Command("go", "mod", "download", "-json", module)
	download.Dir = t.TempDir() // no module's requirement
	out, err := download.Output()
	if err != nil {
		t.Skipf("%s cannot be downloaded: %v: %s", module, err, out)
	}
	var found struct{ Dir string }
	if err := json.UnmarshalCaseSensitivePreserveInts(out, &found); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(found.Dir, file))
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := json.UnmarshalCaseSensitivePreserveInts(data, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// execute runs a program in the root and returns its exit code and what it said.
// It sees the environment given, and nothing of a run or a scheduler around it.
func execute(t *testing.T, env map[string]string, name string, args ...string) (code int, said string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = root
	for _, kv := range os.Environ() {
		if !outer(kv) {
			cmd.Env = append(cmd.Env, kv)
		}
	}
	for k, v := range env {
		cmd.Env = append(cmd.Env, k+"="+v)
	}
	out, err := cmd.CombinedOutput()
	if err != nil && !errors.As(err, new(*exec.ExitError)) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

func outer(kv string) bool {
	for _, prefix := range []string{"CERTIFY_", "TEST_", "JOB_", "SLURM_", "GITHUB_"} {
		if strings.HasPrefix(kv, prefix) {
			return true
		}
	}
	return false
}
