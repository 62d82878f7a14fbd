package deploytest

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// small makes the plan of a file one of seconds: some drills, as many tasks as their
// floors want.
var small = map[string]string{"CERTIFY_PRESET": "quick", "CERTIFY_DRILL": "panic,goexit,nested-wait,lock-across-wait", "CERTIFY_REPS": "1", "CERTIFY_TASKS": "5000"}

// command is what a system runs, as its file says it.
type command struct {
	argv []string
	env  map[string]string
}

// run carries the command out, its directory /results being dir.
func (c command) run(t *testing.T, dir string) (code int, said string) {
	t.Helper()
	argv := slices.Clone(c.argv)
	for i, a := range argv {
		argv[i] = strings.ReplaceAll(a, "/results/", dir+"/")
	}
	env := maps.Clone(c.env)
	maps.Copy(env, small)
	env["PATH"] = filepath.Dir(certify(t)) + ":" + os.Getenv("PATH")
	return execute(t, env, "env", argv...)
}

// system is one that runs shards and then merges them.
type system struct {
	shards int
	shard  func(i int) command // i from 0
	merge  command
	moved  func(dir string) // brings what the shards left to where the merge looks
}

// tryOut runs all shards and the merge: one certificate, which holds. Then it takes
// away what one shard left: INCONCLUSIVE.
func tryOut(t *testing.T, s system) {
	dir := t.TempDir()
	for i := range s.shards {
		if code, said := s.shard(i).run(t, dir); code != 0 {
			t.Fatalf("shard %d of %d: exit %d\n%s", i+1, s.shards, code, said)
		}
	}
	if s.moved != nil {
		s.moved(dir)
	}
	blobs := named(t, dir, "certify-*of*.tar.gz")
	if len(blobs) != s.shards {
		t.Fatalf("%d shards left %q", s.shards, blobs)
	}
	if code, said := s.merge.run(t, dir); code != 0 {
		t.Fatalf("merge: exit %d\n%s", code, said)
	}
	merged := named(t, dir, "certificate.json")
	merged = without(merged, blobs) // a shard's own says nothing of the whole
	if len(merged) != 1 {
		t.Fatalf("certificates %q, want one", merged)
	}
	code, said := execute(t, nil, certify(t), "verify", merged[0], "--any-commit")
	if code != 0 || !strings.Contains(said, "HOLDS: CERTIFIED") {
		t.Errorf("certify verify: exit %d, %s", code, said)
	}
	remove(t, filepath.Dir(merged[0]))
	remove(t, filepath.Dir(blobs[s.shards/2]))
	if code, said := s.merge.run(t, dir); code != 3 || !strings.Contains(said, "INCONCLUSIVE") {
		t.Errorf("merge without one shard: exit %d, want 3, INCONCLUSIVE\n%s", code, said)
	}
}

// without leaves out what is in a directory of one of the blobs.
func without(files, blobs []string) (rest []string) {
	of := map[string]bool{}
	for _, b := range blobs {
		of[filepath.Dir(b)] = true
	}
	for _, f := range files {
		if !of[filepath.Dir(f)] {
			rest = append(rest, f)
		}
	}
	return rest
}

// named are the files below dir with a name of the pattern.
func named(t *testing.T, dir, pattern string) (all []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if ok, _ := filepath.Match(pattern, filepath.Base(name)); ok {
			all = append(all, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
}
