package certify

import (
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/exactlyonce/certify"

// arrows is the policy: each package of ours, and which others of ours it may
// import. Packages stand above what they import, so that arrows point down.
// Do not add an arrow to make something compile: ask first on which side of it
// the code belongs.
const arrows = `
hardening:
hardening/faults: hardening/recorded reports/rundir reports/record
hardening/faults/subjects: soak
hardening/load: hardening/recorded executor queues/catalog
hardening/recorded: soak/machine
cmd/certify: bench/sitting bench soak/explore/survey soak/explore/rewrite soak/campaign soak soak/guard soak/machine reports/certificate reports/history reports/merge reports/blob reports/measured reports/document reports/html reports/chart reports reports/compare reports/rundir reports/record queues/catalog executor queues
cmd/certify/runner: soak/faulty soak
soak/campaign: soak/faulty soak/faulty/flawed soak/explore/survey soak/explore soak soak/child soak/guard queues reports/rundir reports/record
soak/faulty: soak soak/faulty/flawed executor queues reports/record
soak/faulty/flawed: soak/explore/limbo queues reports/record
soak: soak/monitor executor/jobs/gate executor/jobs executor/scope executor executor/lifecycle? queues/catalog queues soak/child soak/guard reports/trend reports/record
bench/sitting: bench
bench: executor queues/catalog queues soak/guard
soak/explore/survey: soak/explore/rewrite soak/explore/driver soak/explore/limbo soak/explore/protocol soak/explore/trial
soak/explore/rewrite:
soak/explore/driver: soak/explore/scenario soak/explore/limbo soak/explore/protocol soak/explore/control queues
soak/explore/scenario: soak/explore/trial soak/explore queues
soak/explore/limbo: soak/explore/trial soak/explore soak/explore/atomic queues/epoch
soak/explore/protocol: soak/explore/trial soak/explore soak/explore/atomic executor/jobs/gate executor executor/lifecycle queues/mutex
soak/explore/trial: soak/explore soak/explore/control
soak/explore/sync: soak/explore/atomic soak/explore/control
soak/explore/runtime: soak/explore/control
soak/explore/atomic: soak/explore/control
soak/explore: soak/explore/control
soak/explore/control:
soak/monitor/picture: soak/monitor
soak/monitor:
soak/child: soak/guard
soak/guard:
soak/machine:
executor/jobs/filestore: executor/jobs
executor/jobs/gate:
executor/jobs: executor
executor/scope: executor/scope/tree executor
executor/scope/tree:
executor/poll: executor
executor: executor/lifecycle queues/sharded queues/claim queues
executor/lifecycle:
reports/certificate: reports/merge reports reports/rundir reports/record
reports/history: reports/compare reports reports/record
reports/merge: reports/blob reports reports/rundir reports/record
reports/blob: reports/rundir
reports/html: reports/chart reports reports/record
reports/chart: reports
reports/measured: reports/compare reports
reports/document: reports reports/record
reports: reports/compare reports/rundir reports/record reports/trend
reports/compare:
reports/rundir: reports/record
reports/record:
reports/trend:
queues/queuetest: queues
queues/catalog: queues/chaselev queues/claim queues/msqueue queues/mutex queues/scq queues/segment queues/sharded queues
queues/chaselev: queues/epoch queues
queues/msqueue: queues/epoch queues
queues/claim: queues
queues/split: queues
queues/scq: queues
queues/segment: queues/epoch queues
queues/sharded: queues/chunk queues
queues/chunk:
queues/mutex: queues
queues/epoch:
queues:
internal/mishap:
internal/stress:
.:
`

// TestArrows holds the imports of all product code against the policy: none
// that is not in it, and none in it that is not used, up to a mark of ?.
func TestArrows(t *testing.T) {
	imports := importsOfOurs(t)
	seen := map[string]bool{}
	for line := range strings.Lines(strings.TrimSpace(arrows)) {
		pkg, list, _ := strings.Cut(strings.TrimSpace(line), ":")
		for _, arrow := range strings.Fields(list) {
			to, optional := strings.CutSuffix(arrow, "?")
			if seen[to] {
				t.Errorf("%s -> %s points up: %s stands above it", pkg, to, to)
			}
			if !imports[pkg][to] && !optional {
				t.Errorf("%s does not import %s; take the arrow out", pkg, to)
			}
			delete(imports[pkg], to)
		}
		for to := range imports[pkg] {
			t.Errorf("%s imports %s, which the policy does not allow", pkg, to)
		}
		seen[pkg] = true
		delete(imports, pkg)
	}
	for pkg := range imports {
		t.Errorf("%s is not in the policy", pkg)
	}
}

// importsOfOurs maps each package of the module, "." being its root, to those
// that its files without tests import.
func importsOfOurs(t *testing.T) map[string]map[string]bool {
	t.Helper()
	imports := map[string]map[string]bool{}
	for file := range goFiles(t) {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		pkg := path.Dir(file)
		if imports[pkg] == nil {
			imports[pkg] = map[string]bool{}
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range f.Imports {
			name, _ := strconv.Unquote(spec.Path.Value)
			if to, ours := strings.CutPrefix(name, module+"/"); ours {
				imports[pkg][to] = true
			}
		}
	}
	return imports
}

// goFiles returns the Go files of the tree, by slash path, without those of nested
// modules, which bring dependencies that nobody else needs.
func goFiles(t *testing.T) map[string]bool {
	t.Helper()
	files := map[string]bool{}
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if base := d.Name(); d.IsDir() && name != "." && (strings.HasPrefix(base, ".") || base == "testdata" || base == "certify-runs") {
			return filepath.SkipDir
		}
		if _, err := os.Stat(filepath.Join(name, "go.mod")); d.IsDir() && name != "." && err == nil {
			return filepath.SkipDir
		}
		if strings.HasSuffix(name, ".go") {
			files[filepath.ToSlash(name)] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 50 {
		t.Fatalf("found %d files only: %v", len(files), slices.Collect(maps.Keys(files)))
	}
	return files
}
