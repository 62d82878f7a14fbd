package deploytest

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
)

const kubernetes = "scripts/deploy/kubernetes/"

// openAPI is where the OpenAPI documents of Kubernetes' releases are; this is the
// newest that it has.
const (
	openAPI       = "sigs.k8s.io/kubectl-validate@v0.0.4"
	openAPIFolder = "pkg/openapiclient/builtins/1.30/"
)

// kinds says for each file what it must be: a place in a document of the OpenAPI,
// and the type of the current API.
var kinds = map[string]struct {
	document, schema string
	value            func() any
}{
	"plan.yaml":   {"api/v1.json", "io.k8s.api.core.v1.ConfigMap", func() any { return new(corev1.ConfigMap) }},
	"volume.yaml": {"api/v1.json", "io.k8s.api.core.v1.PersistentVolumeClaim", func() any { return new(corev1.PersistentVolumeClaim) }},
	"shards.yaml": {"apis/batch/v1.json", "io.k8s.api.batch.v1.Job", func() any { return new(batchv1.Job) }},
	"merge.yaml":  {"apis/batch/v1.json", "io.k8s.api.batch.v1.Job", func() any { return new(batchv1.Job) }},
}

// TestKubernetesSchema holds the files to what Kubernetes publishes.
func TestKubernetesSchema(t *testing.T) {
	for file, kind := range kinds {
		t.Run(file, func(t *testing.T) {
			text := string(read(t, kubernetes+file))
			s := schemaAt(t, published(t, openAPI, openAPIFolder+kind.document), "/components/schemas/"+kind.schema)
			if err := validate(t, s, text); err != nil {
				t.Error(err)
			}
			if file != "shards.yaml" {
				return
			}
			for name, wrong := range map[string]string{
				"a misspelt field": changed(t, text, "completionMode:", "completionsMode:"),
				"a wrong type":     changed(t, text, "completions: 4", "completions: four"),
				"a field too deep": changed(t, text, "restartPolicy: Never", "restartPolicies: Never"),
			} {
				if validate(t, s, wrong) == nil {
					t.Errorf("%s: no objection", name)
				}
			}
		})
	}
}

// TestKubernetesTypes decodes the files into the types of the current API, which
// must have a place for all that is in them.
func TestKubernetesTypes(t *testing.T) {
	for file, kind := range kinds {
		if err := decode(read(t, kubernetes+file), kind.value()); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
	wrong := changed(t, string(read(t, kubernetes+"shards.yaml")), "backoffLimitPerIndex:", "backOffLimitPerIndex:")
	if decode([]byte(wrong), new(batchv1.Job)) == nil {
		t.Error("a misspelt field: no objection")
	}
}

// TestKubernetesShards holds the Job to what a measurement and its verdict need.
func TestKubernetesShards(t *testing.T) {
	text := string(read(t, kubernetes+"shards.yaml"))
	if o := jobOf(t, text).objections(); o != nil {
		t.Error(o)
	}
	for name, change := range map[string][2]string{
		"fewer at a time":      {"parallelism: 4", "parallelism: 2"},
		"verdicts tried again": {"values: [1, 2, 3]", "values: [2]"},
		"evicted is failed":    {"action: Ignore", "action: Count"},
		"half a processor":     {`cpu: "4"`, `cpu: 3500m`},
		"less than the limit":  {"memory: 4Gi", "memory: 2Gi"},
		"root":                 {"runAsNonRoot: true", "runAsNonRoot: false"},
		"a writable system":    {"readOnlyRootFilesystem: true", "readOnlyRootFilesystem: false"},
		"two on a node":        {"kubernetes.io/hostname", "topology.kubernetes.io/zone"},
		"a restart in place":   {"restartPolicy: Never", "restartPolicy: OnFailure"},
	} {
		if jobOf(t, changed(t, text, change[0], change[1])).objections() == nil {
			t.Errorf("%s: no objection", name)
		}
	}
}

type job struct{ batchv1.Job }

func jobOf(t *testing.T, text string) (j job) {
	t.Helper()
	if err := decode([]byte(text), &j.Job); err != nil {
		t.Fatal(err)
	}
	return j
}

func (j job) objections() (all []string) {
	must := func(ok bool, what string) {
		if !ok {
			all = append(all, what)
		}
	}
	spec, pod := j.Spec, j.Spec.Template.Spec
	must(*spec.CompletionMode == batchv1.IndexedCompletion && *spec.Completions == *spec.Parallelism, "not all shards at once")
	must(spec.BackoffLimitPerIndex != nil && pod.RestartPolicy == corev1.RestartPolicyNever, "an index is not tried again by itself")
	rules := spec.PodFailurePolicy.Rules
	must(rules[0].Action == batchv1.PodFailurePolicyActionIgnore && rules[0].OnPodConditions[0].Type == corev1.DisruptionTarget, "a disruption counts")
	must(rules[1].Action == batchv1.PodFailurePolicyActionFailIndex && slices.Equal(rules[1].OnExitCodes.Values, []int32{1, 2, 3}), "a verdict does not stand")
	anti := pod.Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution[0]
	must(anti.TopologyKey == corev1.LabelHostname && anti.LabelSelector.MatchLabels["app"] == spec.Template.Labels["app"], "two may be on one node")
	c := pod.Containers[0]
	for name, limit := range c.Resources.Limits {
		must(limit.Equal(c.Resources.Requests[name]), "not Guaranteed: "+string(name))
	}
	must(c.Resources.Limits.Cpu().MilliValue()%1000 == 0 && c.Resources.Limits.Cpu().Value() > 1, "no whole processors")
	must(*pod.SecurityContext.RunAsNonRoot && *c.SecurityContext.ReadOnlyRootFilesystem && !*c.SecurityContext.AllowPrivilegeEscalation, "more rights than needed")
	must(rules[1].OnExitCodes.ContainerName != nil && *rules[1].OnExitCodes.ContainerName == c.Name, "the exit codes are another container's")
	return all
}

// variable is a reference that Kubernetes replaces in a command and its variables.
var variable = regexp.MustCompile(`\$\(([A-Za-z_][A-Za-z0-9_]*)\)`)

// command is what Kubernetes runs of the Job: its pod has a name, and an index if it
// is Indexed.
func (j job) command(t *testing.T, plan corev1.ConfigMap, pod, index string) command {
	t.Helper()
	c := j.Spec.Template.Spec.Containers[0]
	env := map[string]string{}
	for _, from := range c.EnvFrom {
		if from.ConfigMapRef.Name != plan.Name {
			t.Fatalf("there is no ConfigMap %q", from.ConfigMapRef.Name)
		}
		for k, v := range plan.Data {
			env[k] = v
		}
	}
	for _, e := range c.Env {
		if e.ValueFrom == nil || e.ValueFrom.FieldRef == nil || e.ValueFrom.FieldRef.FieldPath != "metadata.name" {
			t.Fatalf("%s is of a kind that the test does not know", e.Name)
		}
		env[e.Name] = pod
	}
	if index != "" {
		env["JOB_COMPLETION_INDEX"] = index
	}
	argv := slices.Concat(c.Command, c.Args)
	for i, a := range argv {
		argv[i] = variable.ReplaceAllStringFunc(a, func(ref string) string {
			v, ok := env[variable.FindStringSubmatch(ref)[1]]
			if !ok {
				t.Fatalf("%s: no such variable", ref)
			}
			return v
		})
	}
	if c.VolumeMounts[0].MountPath != "/results" {
		t.Fatalf("the volume is at %s", c.VolumeMounts[0].MountPath)
	}
	return command{argv, env}
}

// TestKubernetes runs what the Jobs run.
func TestKubernetes(t *testing.T) {
	var plan corev1.ConfigMap
	if err := decode(read(t, kubernetes+"plan.yaml"), &plan); err != nil {
		t.Fatal(err)
	}
	shards, merge := jobOf(t, string(read(t, kubernetes+"shards.yaml"))), jobOf(t, string(read(t, kubernetes+"merge.yaml")))
	n := int(*shards.Spec.Completions)
	if plan.Data["CERTIFY_SHARDS"] != strconv.Itoa(n) {
		t.Fatalf("the plan has %s shards, the Job %d", plan.Data["CERTIFY_SHARDS"], n)
	}
	tryOut(t, system{
		shards: n,
		shard: func(i int) command {
			return shards.command(t, plan, fmt.Sprintf("certify-shards-%d-abcde", i), strconv.Itoa(i))
		},
		merge: merge.command(t, plan, "certify-merge-fghij", ""),
	})
}

// TestKubernetesRun runs run.sh with a cluster that is made up: its exit code is that
// of the merge, which begins when the shards have ended, however they did.
func TestKubernetesRun(t *testing.T) {
	for _, end := range []string{"Complete", "Failed"} {
		dir := t.TempDir()
		cluster := `#!/usr/bin/env bash
set -euo pipefail
echo "$*" >>"$CLUSTER/calls"
case "$*" in
apply*) cat >>"$CLUSTER/applied" ;;
"get job"*) if [[ -e $CLUSTER/asked ]]; then rm "$CLUSTER/asked"; echo FailureTarget ` + end + `; else touch "$CLUSTER/asked"; fi ;;
"get pods"*) printf '137\n3\n' ;;
esac
`
		if err := os.WriteFile(filepath.Join(dir, "kubectl"), []byte(cluster), 0o777); err != nil {
			t.Fatal(err)
		}
		code, said := execute(t, map[string]string{"PATH": dir + ":" + os.Getenv("PATH"), "CLUSTER": dir, "POLL": "0", "SEED": "77"},
			filepath.Join(root, kubernetes, "run.sh"), "registry.example/certify:1", "7")
		if code != 3 {
			t.Errorf("exit %d, want 3\n%s", code, said)
		}
		applied, err := os.ReadFile(filepath.Join(dir, "applied"))
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"completions: 7\n", "parallelism: 7\n", `CERTIFY_SHARDS: "7"`, `CERTIFY_SEED: "77"`} {
			if strings.Count(string(applied), want) != 1 {
				t.Errorf("applied without %q:\n%s", want, applied)
			}
		}
		if n := strings.Count(string(applied), "image: registry.example/certify:1\n"); n != 2 {
			t.Errorf("the image is in %d Jobs, want 2", n)
		}
		calls, err := os.ReadFile(filepath.Join(dir, "calls"))
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(calls), "get job certify-shards"); n != 2 {
			t.Errorf("asked %d times for the shards, want 2:\n%s", n, calls)
		}
	}
}
