package deploytest

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rhysd/actionlint"
)

const workflows = ".github/workflows/"

// TestWorkflows holds the workflows to actionlint and to our own rules.
func TestWorkflows(t *testing.T) {
	entries, err := os.ReadDir(filepath.Join(root, ".github", "workflows"))
	if err != nil || len(entries) < 3 {
		t.Fatal(entries, err)
	}
	for _, e := range entries {
		for _, o := range objections(t, string(read(t, workflows+e.Name()))) {
			t.Errorf("%s: %s", e.Name(), o)
		}
	}
}

// TestWorkflowsObjected shows the rules what they must find.
func TestWorkflowsObjected(t *testing.T) {
	text := string(read(t, workflows+"certify.yml"))
	for name, change := range map[string][2]string{
		"a misspelt key":          {"runs-on:", "run-on:"},
		"a misspelt input":        {"persist-credentials:", "persist-credential:"},
		"credentials that stay":   {"persist-credentials: false", "persist-credentials: true"},
		"an action by its tag":    {"checkout@3d3c42e5aac5ba805825da76410c181273ba90b1", "checkout@v7"},
		"an action of no version": {" # v7.0.1", ""},
		"write for all":           {"contents: read", "contents: write"},
		"write for a job":         {"    needs: plan\n", "    needs: plan\n    permissions:\n      contents: write\n"},
		"write with a script":     {"    needs: plan\n", "    needs: plan\n    permissions:\n      id-token: write # this is the reason\n"},
		"code in a run":           {"run: scripts/certify.sh matrix", "run: echo '${{ inputs.preset }}'"},
		"a script that is not":    {"run: scripts/certify.sh", "run: scripts/certificate.sh"},
		"no timeout":              {"    timeout-minutes: 300\n", ""},
		"no concurrency":          {"concurrency:\n  group: certify-${{ github.ref }}\n  cancel-in-progress: false\n", ""},
		"one fails all":           {"fail-fast: false", "fail-fast: true"},
		"a need that is not":      {"needs: [plan, shard]", "needs: [plan, shards]"},
	} {
		if len(objections(t, changed(t, text, change[0], change[1]))) == 0 {
			t.Errorf("%s: no objection", name)
		}
	}
}

// objections are what actionlint and our rules say of a workflow.
func objections(t *testing.T, text string) (all []string) {
	t.Helper()
	all = lint(t, majors(text))
	w, errs := actionlint.Parse([]byte(text))
	if len(errs) > 0 {
		return append(all, fmt.Sprint(errs))
	}
	if p := w.Permissions; p == nil || p.All != nil || len(p.Scopes) != 1 || p.Scopes["contents"] == nil || p.Scopes["contents"].Value.Value != "read" {
		all = append(all, "permissions are not contents: read")
	}
	if w.Concurrency == nil {
		all = append(all, "no concurrency group")
	}
	for name, job := range w.Jobs {
		for _, o := range jobObjections(job) {
			all = append(all, name+": "+o)
		}
	}
	return append(all, lineObjections(text)...)
}

func jobObjections(job *actionlint.Job) (all []string) {
	if job.TimeoutMinutes == nil {
		all = append(all, "no timeout")
	}
	if s := job.Strategy; s != nil && (s.FailFast == nil || s.FailFast.Value) {
		all = append(all, "one of the matrix stops the others")
	}
	for _, step := range job.Steps {
		switch e := step.Exec.(type) {
		case *actionlint.ExecRun:
			if job.Permissions != nil {
				all = append(all, "a script runs where the tokens are")
			}
			all = append(all, runObjections(e.Run.Value)...)
		case *actionlint.ExecAction:
			if strings.HasPrefix(e.Uses.Value, "actions/checkout@") && (e.Inputs["persist-credentials"] == nil || e.Inputs["persist-credentials"].Value.Value != "false") {
				all = append(all, "checkout leaves its credentials")
			}
		}
	}
	return all
}

// calls is a script of ours with fixed words, and so nothing that is put in.
var calls = regexp.MustCompile(`^(scripts/[a-z/.-]+\.sh)( [a-z]+)*$`)

func runObjections(run string) []string {
	m := calls.FindStringSubmatch(run)
	if m == nil {
		return []string{fmt.Sprintf("run: %q is no call of a script", run)}
	}
	info, err := os.Stat(filepath.Join(root, m[1]))
	if err != nil || info.Mode()&0o111 == 0 {
		return []string{fmt.Sprintf("%s cannot be run: %v", m[1], err)}
	}
	return nil
}

var (
	pinned = regexp.MustCompile(`uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`)
	writes = regexp.MustCompile(`: write( # .{10,})?$`)
)

// lineObjections are those that comments decide, which no parser keeps.
func lineObjections(text string) (all []string) {
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if strings.Contains(line, " uses: ") && !strings.HasPrefix(line, "#") && !pinned.MatchString(line) {
			all = append(all, "not pinned, with its version: "+line)
		}
		if m := writes.FindStringSubmatch(line); m != nil && m[1] == "" {
			all = append(all, "may write, and does not say why: "+line)
		}
	}
	return all
}

// known are the newest versions whose inputs actionlint knows.
var known = map[string]string{"actions/checkout": "v6", "actions/setup-go": "v6", "actions/upload-artifact": "v7", "actions/download-artifact": "v8"}

// majors replaces commits by versions that actionlint knows the inputs of.
func majors(text string) string {
	for action, version := range known {
		text = regexp.MustCompile(action+`@[0-9a-f]{40}`).ReplaceAllString(text, action+"@"+version)
	}
	return text
}

func lint(t *testing.T, text string) (all []string) {
	t.Helper()
	l, err := actionlint.NewLinter(io.Discard, &actionlint.LinterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	errs, err := l.Lint("workflow.yml", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range errs {
		all = append(all, e.Error())
	}
	return all
}
