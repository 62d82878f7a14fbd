package certificate

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/montanaflynn/stats"

	"github.com/exactlyonce/certify/reports"
	"github.com/exactlyonce/certify/reports/record"
	"github.com/exactlyonce/certify/reports/rundir"
)

// The types of the statements and of their predicates.
const (
	statementType  = "https://in-toto.io/Statement/v1"
	testResultType = "https://in-toto.io/attestation/test-result/v0.1"
	numbersType    = "https://github.com/exactlyonce/certify/certificate/v1"
)

type statement struct {
	Type          string     `json:"_type"`
	Subject       []resource `json:"subject"`
	PredicateType string     `json:"predicateType"`
	Predicate     any        `json:"predicate"`
}

// resource is an in-toto ResourceDescriptor.
type resource struct {
	Name   string            `json:"name"`
	Digest map[string]string `json:"digest"`
}

func sha256Resource(name, hex string) resource {
	return resource{name, map[string]string{"sha256": hex}}
}

// digests are what a certificate is about.
type digests struct {
	commit        string // 40 or 64 hex digits; empty when modified or not known
	commitText    string // as it was recorded
	plan, env     string
	runner        string // empty when a run was never begun
	results       string
	resultsBytes  int64
	certifyModule string     // version of our module that ran
	shards        []resource // blobs that were merged
	modules       []resource // that the runner was built of
}

// runnerFile is the repetitions' binary in the run directory, where it need not
// be any more.
const runnerFile = "runner.bin"

var commitDigits = regexp.MustCompile(`^([0-9a-f]{40}|[0-9a-f]{64})$`)

func digestsOf(dir string, r *reports.Run) (d digests, err error) {
	d.plan, d.env, d.runner = r.Pins[rundir.PlanFile], r.Pins[rundir.EnvFile], r.Pins[reports.RunnerPin]
	d.commitText, d.certifyModule = r.Fact("commit"), r.Fact("certify")
	if commitDigits.MatchString(d.commitText) {
		d.commit = d.commitText
	}
	if d.results, d.resultsBytes, err = digestFile(filepath.Join(dir, rundir.ResultsFile)); err != nil {
		return d, err
	}
	d.modules = modulesOf(r.Pins)
	d.shards = shardsOf(r)
	return d, checkRunner(dir, d.runner)
}

// modulesOf are the modules among the pins, as resources.
func modulesOf(pins map[string]string) []resource {
	all := []resource{}
	for _, pin := range slices.Sorted(maps.Keys(pins)) {
		if name, ok := strings.CutPrefix(pin, reports.ModulePin); ok {
			all = append(all, resource{"pkg:golang/" + name, map[string]string{"dirHash": pins[pin]}})
		}
	}
	return all
}

// shardsOf are the blobs that a merged run keeps.
func shardsOf(r *reports.Run) (all []resource) {
	for i := 1; i <= r.Shard.Of; i++ {
		if sum := r.Pins[reports.ShardPin(i)]; sum != "" {
			all = append(all, sha256Resource(reports.ShardPin(i), sum))
		}
	}
	return all
}

// ourModule is the one that the subjects of a run are in.
const ourModule = "pkg:golang/github.com/exactlyonce/certify@"

// checkRunner compares the runner with its pin. One that is not there any more
// cannot be compared: its digest stands for it.
func checkRunner(dir, pinned string) error {
	now, _, err := digestFile(filepath.Join(dir, runnerFile))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case now != pinned:
		return &AlteredError{What: runnerFile, Was: pinned, Now: now}
	}
	return nil
}

func digestFile(name string) (sum string, n int64, err error) {
	f, err := os.Open(name)
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	h := sha256.New()
	if n, err = io.Copy(h, f); err != nil {
		return "", 0, err
	}
	return hex.EncodeToString(h.Sum(nil)), n, nil
}

// subjects are what both statements are about.
func (d digests) subjects() []resource {
	all := []resource{sha256Resource(rundir.ResultsFile, d.results)}
	if d.runner != "" {
		all = append(all, sha256Resource("runner", d.runner))
	}
	if d.commit != "" {
		all = append(all, resource{"git+https://github.com/exactlyonce/certify", map[string]string{"gitCommit": d.commit}})
	}
	for _, m := range d.modules {
		if strings.HasPrefix(m.Name, ourModule) {
			all = append(all, m)
		}
	}
	return append(all, d.shards...)
}

// results of the test-result predicate.
var results = map[record.Verdict]string{record.Certified: "PASSED", record.Inconclusive: "WARNED", record.Failed: "FAILED"}

func testResult(r *reports.Run, d digests) statement {
	predicate := struct {
		Result        string     `json:"result"`
		Configuration []resource `json:"configuration"`
		PassedTests   []string   `json:"passedTests"`
		WarnedTests   []string   `json:"warnedTests"`
		FailedTests   []string   `json:"failedTests"`
	}{
		Result:        results[r.Verdict],
		Configuration: []resource{sha256Resource(rundir.PlanFile, d.plan), sha256Resource(rundir.EnvFile, d.env)},
		PassedTests:   []string{}, WarnedTests: []string{}, FailedTests: []string{},
	}
	for _, g := range r.Groups {
		verdict, _ := g.Verdict()
		list := map[record.Verdict]*[]string{
			record.Certified: &predicate.PassedTests, record.Inconclusive: &predicate.WarnedTests, record.Failed: &predicate.FailedTests,
		}[verdict]
		*list = append(*list, g.Key.String())
	}
	return statement{statementType, d.subjects(), testResultType, predicate}
}

// canary is a known-bad subject, or a control, which has no killers.
type canary struct {
	Key     record.Key      `json:"key"`
	Killers []record.Reason `json:"killers"`
	Runs    int             `json:"runs"`
	Caught  int             `json:"caught"`
	Verdict record.Verdict  `json:"verdict"`
}

// keyNumbers is one key in the predicate of our own.
type keyNumbers struct {
	Key     record.Key     `json:"key"`
	Planned int            `json:"planned"`
	Clean   int            `json:"clean"`
	Verdict record.Verdict `json:"verdict"`
	Reason  record.Reason  `json:"reason,omitempty"`
	Bound   float64        `json:"bound"` // on the rate of failing repetitions, at 95 %
	Power   float64        `json:"power"` // of meeting a fault that breaks record.Fault of them
	Medians []record.Value `json:"medians"`
	// Tier is how far an exploration has the source in hand.
	Tier string `json:"tier,omitempty"`
	// Floors are what it must have counted, with what it did.
	Floors []reports.Reach `json:"floors"`
	// Criterion is what its histories are judged as, LawsOmitted what that leaves out.
	Criterion   string   `json:"criterion,omitempty"`
	LawsOmitted []string `json:"lawsOmitted,omitempty"`
}

func numbers(r *reports.Run, d digests) statement {
	predicate := struct {
		Run          string         `json:"run"`
		Verdict      record.Verdict `json:"verdict"`
		Reason       record.Reason  `json:"reason,omitempty"`
		Exit         int            `json:"exit"`
		Commit       string         `json:"commit"` // as recorded: modified or unknown ones too
		Certify      string         `json:"certify"`
		Seed         uint64         `json:"seed,string"`
		Race         bool           `json:"race"`
		Repetitions  int            `json:"repetitions"`
		Planned      int            `json:"planned"`
		ResultsBytes int64          `json:"resultsBytes"`
		Keys         []keyNumbers   `json:"keys"`
		Canaries     []canary       `json:"canaries"`
		NotChecked   []string       `json:"notChecked"`
		Modules      []resource     `json:"modules"` // published ones, that the runner was built of
	}{
		Run: r.ID, Verdict: r.Verdict, Reason: r.Reason, Exit: r.Verdict.ExitCode(), Commit: d.commitText, Certify: d.certifyModule,
		Seed: r.Plan.Seed, Race: r.Plan.Race, Repetitions: len(r.Records), Planned: r.Plan.Total(), ResultsBytes: d.resultsBytes,
		NotChecked: r.Limits(), Modules: d.modules, Canaries: []canary{},
	}
	for _, c := range r.Canaries {
		v, _ := c.Verdict()
		predicate.Canaries = append(predicate.Canaries, canary{c.Key, c.Killers, len(c.Records), c.Caught, v})
	}
	for _, g := range r.Groups {
		predicate.Keys = append(predicate.Keys, numbersOf(g))
	}
	return statement{statementType, d.subjects(), numbersType, predicate}
}

func numbersOf(g reports.Group) keyNumbers {
	k := keyNumbers{Key: g.Key, Planned: g.Planned, Clean: g.Clean, Bound: record.Bound(g.Clean), Medians: []record.Value{}}
	k.Power, k.Floors = record.Power(len(g.Records), record.Fault), append([]reports.Reach{}, g.Reaches()...)
	if g.Laws != nil {
		k.Criterion, k.LawsOmitted = g.Laws.Criterion, g.Laws.Omitted()
	}
	k.Verdict, k.Reason = g.Verdict()
	k.Tier = g.Tier()
	add := func(unit string, s reports.Series) {
		if m, err := stats.Median(s.Values); err == nil {
			k.Medians = append(k.Medians, record.Value{Unit: unit, Value: m})
		}
	}
	add("sec", g.Elapsed())
	add("peak-B", g.Peak())
	for _, unit := range g.Units() {
		add(unit, g.Of(unit))
	}
	return k
}
