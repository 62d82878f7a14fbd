package certificate

import (
	"bytes"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/exactlyonce/certify/reports"
	"github.com/exactlyonce/certify/reports/merge"
	"github.com/exactlyonce/certify/reports/record"
	"github.com/exactlyonce/certify/reports/rundir"
)

const commit = "0123456789abcdef0123456789abcdef01234567"

// makeRun writes a run with n clean repetitions of two that were planned.
func makeRun(t testing.TB, commit string, n int) string {
	t.Helper()
	key := record.Key{Drill: "exactly-once", Params: []record.Param{{Name: "deque", Value: "chaselev"}}}
	plan, err := json.Marshal(reports.Plan{Keys: []record.Key{key}, First: 1, Reps: 2, Seed: 1<<64 - 1, Race: true})
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "run")
	env, _ := json.Marshal(map[string]string{"certify": "(devel)", "commit": commit})
	d, err := rundir.Create(dir, rundir.Origin{Run: "run-1", Plan: plan, Env: env})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	runner := []byte("a runner")
	if err := os.WriteFile(filepath.Join(dir, runnerFile), runner, 0o600); err != nil {
		t.Fatal(err)
	}
	sum, _, err := digestFile(filepath.Join(dir, runnerFile))
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Pin(reports.RunnerPin, sum); err != nil {
		t.Fatal(err)
	}
	for rep := 1; rep <= n; rep++ {
		err := d.Append(record.Record{
			Key: key, Rep: rep, Seed: 5, Verdict: record.Certified, Start: time.Unix(1, 0).UTC(), ElapsedNs: 1e9, PeakB: 1 << 20,
			Values: []record.Value{{Unit: "lost", Value: 0}, {Unit: "steals", Value: 10}},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func loaded(t testing.TB, dir string) *reports.Run {
	t.Helper()
	r, err := reports.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func issue(t testing.TB, dir string, keys ...ed25519.PrivateKey) []byte {
	t.Helper()
	c, err := Issue(loaded(t, dir))
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range keys {
		if err := c.Sign(k); err != nil {
			t.Fatal(err)
		}
	}
	data, err := c.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func testKey(b byte) ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(bytes.Repeat([]byte{b}, ed25519.SeedSize))
}

func public(k ed25519.PrivateKey) ed25519.PublicKey { return k.Public().(ed25519.PublicKey) }

func TestIssueAndVerify(t *testing.T) {
	dir := makeRun(t, commit, 2)
	data := issue(t, dir, testKey(1))
	if again := issue(t, dir, testKey(1)); !bytes.Equal(again, data) {
		t.Error("issued twice, and not the same")
	}
	v, err := Verify(data, dir, Options{Keys: []ed25519.PublicKey{public(testKey(1))}})
	if err != nil || v.Verdict != record.Certified || v.Run != "run-1" || v.Commit != commit || len(v.Signers) != 1 {
		t.Errorf("got %+v, %v", v, err)
	}
	if err := os.Remove(filepath.Join(dir, runnerFile)); err != nil {
		t.Fatal(err)
	}
	if _, err := Verify(data, dir, Options{}); err != nil {
		t.Errorf("without the runner, whose digest stands for it: %v", err)
	}
}

// The statements are what their readers expect.
func TestStatements(t *testing.T) {
	c, err := Issue(loaded(t, makeRun(t, commit, 2)))
	if err != nil {
		t.Fatal(err)
	}
	var s struct {
		Type      string                               `json:"_type"`
		Subject   []struct{ Digest map[string]string } `json:"subject"`
		Predicate struct {
			Result      string     `json:"result"`
			PassedTests []string   `json:"passedTests"`
			Config      []resource `json:"configuration"`
		} `json:"predicate"`
		PredicateType string `json:"predicateType"`
	}
	if err := json.Unmarshal(c.Envelopes[0].Payload, &s); err != nil {
		t.Fatal(err)
	}
	if s.Type != statementType || s.PredicateType != testResultType || s.Predicate.Result != "PASSED" || len(s.Predicate.PassedTests) != 1 ||
		len(s.Predicate.Config) != 2 || len(s.Subject) != 3 || s.Subject[2].Digest["gitCommit"] != commit {
		t.Errorf("got %+v", s)
	}
	if !strings.Contains(string(c.Envelopes[1].Payload), `"seed":"18446744073709551615"`) {
		t.Errorf("got %s", c.Envelopes[1].Payload)
	}
}

// Every altered byte of the certificate is found.
func TestEveryByteOfTheCertificate(t *testing.T) {
	dir := makeRun(t, commit, 2)
	data := issue(t, dir, testKey(1))
	step := 1
	if testing.Short() {
		step = 17
	}
	for i := 0; i < len(data); i += step {
		altered := bytes.Clone(data)
		altered[i] ^= 1
		if v, err := Verify(altered, dir, Options{}); err == nil {
			t.Fatalf("byte %d of %d, %q became %q: %+v", i, len(data), data[i], altered[i], v)
		}
		if i%50 == 0 {
			if _, err := Verify(data[:i], dir, Options{}); err == nil {
				t.Fatalf("cut at %d of %d", i, len(data))
			}
		}
	}
	if _, err := Verify(append(data, ' '), dir, Options{}); !errors.Is(err, ErrFormat) {
		t.Errorf("with a blank behind: %v", err)
	}
}

// Every altered byte of the evidence is found.
func TestEveryByteOfTheEvidence(t *testing.T) {
	dir := makeRun(t, commit, 2)
	data := issue(t, dir)
	for _, name := range []string{rundir.PlanFile, rundir.EnvFile, rundir.ResultsFile, runnerFile} {
		path := filepath.Join(dir, name)
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for i := range whole {
			altered := bytes.Clone(whole)
			altered[i] ^= 1
			if err := os.WriteFile(path, altered, 0o600); err != nil {
				t.Fatal(err)
			}
			if v, err := Verify(data, dir, Options{}); err == nil {
				t.Fatalf("%s: byte %d: %+v", name, i, v)
			}
		}
		if err := os.WriteFile(path, whole, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Verify(data, dir, Options{}); err != nil {
		t.Errorf("as it was: %v", err)
	}
}

// A record that is added, honest as it may be, is no longer what was certified;
// and what was altered is named.
func TestAnotherRun(t *testing.T) {
	one, two := makeRun(t, commit, 1), makeRun(t, commit, 2)
	_, err := Verify(issue(t, one), two, Options{})
	var altered *AlteredError
	if !errors.As(err, &altered) || altered.What != "statement 1, subject" {
		t.Errorf("got %v", err)
	}
	v, err := Verify(issue(t, one), one, Options{})
	if err != nil || v.Verdict != record.Inconclusive || v.Reason != record.Samples {
		t.Errorf("an unfinished run: %+v, %v", v, err)
	}
}

func TestCommits(t *testing.T) {
	for text, known := range map[string]bool{commit: true, commit + " (modified)": false, "unknown": false, "": false, strings.ToUpper(commit): false} {
		dir := makeRun(t, text, 2)
		data := issue(t, dir)
		if _, err := Verify(data, dir, Options{}); (err == nil) != known || !known && !errors.Is(err, ErrCommit) {
			t.Errorf("%q: %v", text, err)
		}
		if v, err := Verify(data, dir, Options{AnyCommit: true}); err != nil || v.Commit != text {
			t.Errorf("%q, any commit: %+v, %v", text, v, err)
		}
	}
}

func TestSignatures(t *testing.T) {
	dir := makeRun(t, commit, 2)
	a, b := testKey(1), testKey(2)
	wants := Options{Keys: []ed25519.PublicKey{public(a), public(b)}}
	if _, err := Verify(issue(t, dir, a, b, a), dir, wants); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(c *Certificate){
		"none":              func(c *Certificate) { c.Envelopes[0].Signatures = nil },
		"one stripped":      func(c *Certificate) { c.Envelopes[1].Signatures = c.Envelopes[1].Signatures[:1] },
		"of the other one":  func(c *Certificate) { c.Envelopes[0].Signatures = c.Envelopes[1].Signatures },
		"under a false key": func(c *Certificate) { c.Envelopes[0].Signatures[0].KeyID = KeyID(public(b)) },
		"no key at all":     func(c *Certificate) { c.Envelopes[0].Signatures[0].KeyID = "x" },
	} {
		c, err := Decode(issue(t, dir, a, b))
		if err != nil {
			t.Fatal(err)
		}
		change(c)
		data, err := c.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Verify(data, dir, wants); err == nil || !errors.Is(err, ErrSignature) && !errors.Is(err, ErrFormat) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := new(Certificate).Sign(nil); err == nil {
		t.Error("signed with no key")
	}
	if _, err := Verify(issue(t, dir), dir, Options{Keys: []ed25519.PublicKey{nil}}); !errors.Is(err, ErrSignature) {
		t.Errorf("no key: %v", err)
	}
}

// What may be read in two ways is refused.
func TestDecodeIsStrict(t *testing.T) {
	good := string(issue(t, makeRun(t, commit, 2)))
	for name, data := range map[string]string{
		"empty":         "",
		"huge":          strings.Repeat(" ", MaxBytes+1),
		"another key":   strings.Replace(good, `"schema"`, `"more": 1, "schema"`, 1),
		"a key twice":   strings.Replace(good, `"schema"`, `"schema": "x", "schema"`, 1),
		"another case":  strings.Replace(good, `"schema"`, `"Schema"`, 1),
		"other schema":  strings.Replace(good, Schema, "certify/certificate/2", 1),
		"CRLF":          strings.ReplaceAll(good, "\n", "\r\n"),
		"two of them":   good + good,
		"null payloads": `{"schema":"` + Schema + `","envelopes":null}`,
	} {
		if c, err := Decode([]byte(data)); !errors.Is(err, ErrFormat) {
			t.Errorf("%s: got %+v, %v", name, c, err)
		}
	}
}

func FuzzVerify(f *testing.F) {
	dir := makeRun(f, commit, 2)
	good := issue(f, dir, testKey(1))
	f.Add(good)
	f.Add(good[:len(good)/2])
	f.Add([]byte(`{"schema":"certify/certificate/1","envelopes":[]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := Verify(data, dir, Options{})
		if err == nil && v.Verdict != record.Certified {
			t.Fatalf("got %+v", v)
		}
	})
}

// makeMerged writes a run of two shards, without the one that is missing, if any.
func makeMerged(t *testing.T, missing int) string {
	t.Helper()
	parts, out := t.TempDir(), filepath.Join(t.TempDir(), "merged")
	var keys []record.Key
	for i := range 2 {
		keys = append(keys, record.Key{Drill: "exactly-once", Params: []record.Param{{Name: "tasks", Value: strconv.Itoa(i)}}})
	}
	plan, err := json.Marshal(reports.Plan{Keys: keys, First: 1, Reps: 1, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for i, k := range keys {
		if i+1 == missing {
			continue
		}
		paths = append(paths, filepath.Join(parts, strconv.Itoa(i)))
		d, err := rundir.Create(paths[len(paths)-1], rundir.Origin{
			Run: "run", Shard: record.Shard{Index: i + 1, Of: 2}, Plan: plan, Env: []byte(`{"commit":"` + commit + `"}`),
		})
		if err == nil {
			err = d.Append(record.Record{Key: k, Rep: 1, Verdict: record.Certified, Start: time.Unix(1, 0)})
		}
		if err := errors.Join(err, d.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := merge.Merge(out, paths); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestShards: the certificate of a merged run holds with its shards, says what is
// missing, and is refused when one is taken away or altered afterwards.
func TestShards(t *testing.T) {
	for missing, want := range []record.Verdict{record.Certified, record.Inconclusive, record.Inconclusive} {
		dir := makeMerged(t, missing)
		v, err := Verify(issue(t, dir), dir, Options{})
		if err != nil || v.Verdict != want {
			t.Errorf("without shard %d: got %v, %v", missing, v.Verdict, err)
		}
	}
	for name, change := range map[string]func(string) error{
		"taken away": os.Remove,
		"altered":    func(blob string) error { return os.WriteFile(blob, []byte("another"), 0o666) },
	} {
		dir := makeMerged(t, 0)
		data := issue(t, dir)
		blobs, err := filepath.Glob(filepath.Join(dir, "*.tar.gz"))
		if err != nil || len(blobs) != 2 {
			t.Fatal(blobs, err)
		}
		if err := change(blobs[1]); err != nil {
			t.Fatal(err)
		}
		if _, err := Verify(data, dir, Options{}); !errors.Is(err, merge.ErrShards) {
			t.Errorf("a shard was %s: %v", name, err)
		}
	}
}

// TestModules: a published module that the runner was built of is named, and ours
// is a subject.
func TestModules(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	key := record.Key{Drill: "exactly-once"}
	plan, _ := json.Marshal(reports.Plan{Keys: []record.Key{key}, First: 1, Reps: 1})
	d, err := rundir.Create(dir, rundir.Origin{Run: "run", Plan: plan, Env: []byte("{}")})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	ours, other := strings.Repeat("ab", 32), strings.Repeat("cd", 32)
	for name, sum := range map[string]string{"github.com/exactlyonce/certify@v1.2.3": ours, "example.com/other@v0.1.0": other} {
		if err := d.Pin(reports.ModulePin+name, sum); err != nil {
			t.Fatal(err)
		}
	}
	c, err := Issue(loaded(t, dir))
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range c.Envelopes {
		var s struct {
			Subject   []resource
			Predicate struct{ Modules []resource }
		}
		if err := json.Unmarshal(e.Payload, &s); err != nil {
			t.Fatal(err)
		}
		named := func(all []resource, name, sum string) bool {
			return slices.ContainsFunc(all, func(r resource) bool { return r.Name == name && r.Digest["dirHash"] == sum })
		}
		if !named(s.Subject, "pkg:golang/github.com/exactlyonce/certify@v1.2.3", ours) || named(s.Subject, "pkg:golang/example.com/other@v0.1.0", other) {
			t.Errorf("statement %d: subjects %v", i+1, s.Subject)
		}
		if i == 1 && (len(s.Predicate.Modules) != 2 || !named(s.Predicate.Modules, "pkg:golang/example.com/other@v0.1.0", other)) {
			t.Errorf("modules %v", s.Predicate.Modules)
		}
	}
}
