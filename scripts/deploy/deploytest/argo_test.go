package deploytest

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

const (
	argoFile   = "scripts/deploy/argo/workflow.yaml"
	argoModule = "github.com/argoproj/argo-workflows/v4@v4.0.5"
	argoSchema = "api/jsonschema/schema.json"
)

// TestArgoSchema holds the workflow to the schema that Argo publishes.
func TestArgoSchema(t *testing.T) {
	text := string(read(t, argoFile))
	s := schemaAt(t, published(t, argoModule, argoSchema), "/definitions/io.argoproj.workflow.v1alpha1.Workflow")
	if err := validate(t, s, text); err != nil {
		t.Error(err)
	}
	for name, wrong := range map[string]string{
		"a misspelt field":    changed(t, text, "withSequence:", "withSequences:"),
		"a wrong type":        changed(t, text, "failed: true", "failed: [true]"),
		"a field of the pod":  changed(t, text, "podAntiAffinity:", "podAntiAffinities:"),
		"a field of an array": changed(t, text, "mountPath:", "mountsPath:"),
	} {
		if validate(t, s, wrong) == nil {
			t.Errorf("%s: no objection", name)
		}
	}
}

// argo is the part of a workflow that the tests read.
type argo struct {
	Spec struct {
		Entrypoint string
		Arguments  struct{ Parameters []parameter }
		Templates  []template
	}
}

type parameter struct{ Name, Value string }

type template struct {
	Name      string
	Steps     [][]step
	Container corev1.Container
	Inputs    struct{ Artifacts []artifact }
	Outputs   struct{ Artifacts []artifact }
}

type step struct {
	Name, Template string
	WithSequence   *struct{ Start, Count string }
	ContinueOn     struct{ Failed, Error bool }
}

type artifact struct {
	Name, Path string
	S3         struct{ Key string }
}

// TestArgo runs what the workflow's templates run, and copies the artefacts as their
// keys say.
func TestArgo(t *testing.T) {
	var w argo
	if err := yaml.Unmarshal(read(t, argoFile), &w); err != nil { // the schema test is the strict one
		t.Fatal(err)
	}
	values := map[string]string{"workflow.name": "certify-abcde"}
	for _, p := range w.Spec.Arguments.Parameters {
		values["workflow.parameters."+p.Name] = p.Value
	}
	steps := w.template(t, w.Spec.Entrypoint).Steps
	fan, merge := steps[0][0], w.template(t, steps[1][0].Template)
	if !fan.ContinueOn.Failed || !fan.ContinueOn.Error {
		t.Error("a shard that died keeps the merge from telling so")
	}
	shard := w.template(t, fan.Template)
	n, err := strconv.Atoi(fill(t, fan.WithSequence.Count, values))
	if err != nil || fan.WithSequence.Start != "1" {
		t.Fatal("shards are from 1 to their number", err)
	}
	of := func(i int) map[string]string {
		v := maps.Clone(values)
		v["inputs.parameters.shard"] = strconv.Itoa(i + 1)
		return v
	}
	places := map[string]string{} // of a shard's artefact, by where the test has it
	tryOut(t, system{
		shards: n,
		shard: func(i int) command {
			c := shard.command(t, of(i))
			at := fmt.Sprintf("/results/pod-%d", i)
			out := shard.Outputs.Artifacts[0]
			places[at] = fill(t, out.S3.Key, of(i))
			c.argv[slices.Index(c.argv, out.Path)] = at
			return c
		},
		merge: merge.command(t, values),
		moved: func(dir string) {
			in := merge.Inputs.Artifacts[0]
			for at, key := range places {
				rest, ok := strings.CutPrefix(key, fill(t, in.S3.Key, values)+"/")
				if !ok {
					t.Fatalf("the merge does not get %s", key)
				}
				to := filepath.Join(dir, strings.TrimPrefix(in.Path, "/results/"), rest)
				if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
					t.Fatal(err)
				}
				if err := os.Rename(filepath.Join(dir, strings.TrimPrefix(at, "/results/")), to); err != nil {
					t.Fatal(err)
				}
			}
		},
	})
}

func (w argo) template(t *testing.T, name string) template {
	t.Helper()
	i := slices.IndexFunc(w.Spec.Templates, func(t template) bool { return t.Name == name })
	if i < 0 {
		t.Fatalf("there is no template %q", name)
	}
	return w.Spec.Templates[i]
}

func (p template) command(t *testing.T, values map[string]string) command {
	t.Helper()
	c := command{env: map[string]string{}}
	for _, a := range slices.Concat(p.Container.Command, p.Container.Args) {
		c.argv = append(c.argv, fill(t, a, values))
	}
	for _, e := range p.Container.Env {
		c.env[e.Name] = fill(t, e.Value, values)
	}
	return c
}

// fill replaces the {{references}} of Argo.
func fill(t *testing.T, text string, values map[string]string) string {
	t.Helper()
	for name, value := range values {
		text = strings.ReplaceAll(text, "{{"+name+"}}", value)
	}
	if strings.Contains(text, "{{") {
		t.Fatalf("%s: no such reference", text)
	}
	return text
}
