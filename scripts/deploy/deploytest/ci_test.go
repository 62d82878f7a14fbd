package deploytest

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCertifySh does what the workflow does, job by job: the matrix, the shards, each
// artefact in a directory of its own, the merge, its summary and its outputs. The
// shards have one command, whatever is committed meanwhile; the merge builds its own.
func TestCertifySh(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	step := func(arg string, env map[string]string) (int, string) {
		env = maps.Clone(env)
		maps.Copy(env, map[string]string{
			"CERTIFY_PRESET": "quick", "CERTIFY_SEED": "1234567890",
			"GITHUB_OUTPUT": at("output"), "GITHUB_STEP_SUMMARY": at("summary"), "CERTIFY_BLOBS": at("shards"),
		})
		maps.Copy(env, small)
		return execute(t, env, "scripts/certify.sh", arg)
	}
	if code, said := step("matrix", map[string]string{"CERTIFY_SHARDS": "3"}); code != 0 || text(t, at("output")) != "shards=[1,2,3]\ncount=3\n" {
		t.Fatal(code, said, text(t, at("output")))
	}
	for i := range 3 {
		out := at(fmt.Sprintf("shards/certify-shard-%d-attempt-1", i+1))
		if code, said := step("shard", map[string]string{"CERTIFY_SHARD": fmt.Sprintf("%d/3", i+1), "CERTIFY_OUT": out, "CERTIFY_COMMAND": certify(t)}); code != 0 {
			t.Fatal(code, said)
		}
		leave(t, out, "certify-*.tar.gz")
	}
	if code, said := step("merge", map[string]string{"CERTIFY_OUT": at("run")}); code != 0 {
		t.Fatal(code, said)
	}
	if s := text(t, at("summary")); !strings.Contains(s, "CERTIFIED") || s != text(t, at("run/summary.md")) {
		t.Errorf("the summary is %q", s)
	}
	if o := text(t, at("output")); !strings.HasSuffix(o, "certificate="+at("run/certificate.json")+"\n") {
		t.Errorf("the outputs are %q", o)
	}

	// A second attempt of a shard that had a verdict is refused, whatever it says.
	if err := os.CopyFS(at("shards/certify-shard-2-attempt-2"), os.DirFS(at("shards/certify-shard-2-attempt-1"))); err != nil {
		t.Fatal(err)
	}
	if code, said := step("merge", map[string]string{"CERTIFY_OUT": at("twice")}); code != 2 {
		t.Errorf("a shard twice: exit %d, want 2: %s", code, said)
	}
	remove(t, at("shards/certify-shard-2-attempt-1"))
	remove(t, at("shards/certify-shard-2-attempt-2"))
	if code, said := step("merge", map[string]string{"CERTIFY_OUT": at("less")}); code != 3 {
		t.Errorf("a shard missing: exit %d, want 3: %s", code, said)
	}
	if s := text(t, at("summary")); !strings.Contains(s, "INCONCLUSIVE") {
		t.Errorf("the summary is %q", s)
	}
}

// TestCertifyShFailed: a shard that failed leaves its blob, and the merge FAILED.
func TestCertifyShFailed(t *testing.T) {
	dir := t.TempDir()
	env := map[string]string{
		"CERTIFY_PRESET": "quick", "CERTIFY_DRILL": "exactly-once,goexit", "CERTIFY_REPS": "2", "CERTIFY_TASKS": "200", "CERTIFY_SEED": "5", "CERTIFY_FAULT": "lose@2",
		"CERTIFY_COMMAND": certify(t), "CERTIFY_BLOBS": filepath.Join(dir, "shards"), "GITHUB_STEP_SUMMARY": filepath.Join(dir, "summary"),
	}
	for _, shard := range []string{"1/2", "2/2"} {
		env["CERTIFY_SHARD"], env["CERTIFY_OUT"] = shard, filepath.Join(dir, "shards", shard[:1])
		if code, said := execute(t, env, "scripts/certify.sh", "shard"); code != 1 {
			t.Fatalf("exit %d, want 1: %s", code, said)
		}
		leave(t, env["CERTIFY_OUT"], "certify-*.tar.gz")
	}
	env["CERTIFY_OUT"] = filepath.Join(dir, "run")
	if code, said := execute(t, env, "scripts/certify.sh", "merge"); code != 1 {
		t.Errorf("exit %d, want 1: %s", code, said)
	}
	if s := text(t, filepath.Join(dir, "summary")); !strings.Contains(s, "FAILED") {
		t.Errorf("the summary is %q", s)
	}
}

// TestCertifyShMatrix shows that a number of shards that is none goes no further.
func TestCertifyShMatrix(t *testing.T) {
	for _, n := range []string{"0", "257", "-1", "4;id", "x"} {
		if code, said := execute(t, map[string]string{"CERTIFY_SHARDS": n}, "scripts/certify.sh", "matrix"); code != 2 {
			t.Errorf("%q: exit %d, want 2: %s", n, code, said)
		}
	}
}

// leave removes everything from a directory but what is of the pattern, as an upload
// of that would.
func leave(t *testing.T, dir, pattern string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if ok, _ := filepath.Match(pattern, e.Name()); !ok {
			remove(t, filepath.Join(dir, e.Name()))
		}
	}
}

func text(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
