package peers

import (
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/exactlyonce/certify/bench"
)

// toys are the cases of the test program as a native one that does so.
func toys(t *testing.T, does string) []bench.Case {
	t.Helper()
	t.Setenv("PEERS_TEST_NATIVE", does)
	cases, err := casesOf(os.Args[0], "10", "2")
	if err != nil || len(cases) != 2 {
		t.Fatalf("%d cases, error %v", len(cases), err)
	}
	return cases
}

func TestNative(t *testing.T) {
	a, err := toys(t, "obeys")[0].Open()
	if err != nil {
		t.Fatal(err)
	}
	took, err := a.Run(2)
	if err != nil || took != 8800*time.Nanosecond {
		t.Errorf("took %v, error %v", took, err)
	}
	// fib(10) has 88 forks.
	if want := []bench.Metric{{Unit: "cpu-ns/op", Value: 8800}, {Unit: "ns/task", Value: 50}}; !reflect.DeepEqual(a.Metrics(), want) {
		t.Errorf("metrics %v, want %v", a.Metrics(), want)
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
}

// A program that says something else, or ends, is an error and no figure.
func TestNativeFails(t *testing.T) {
	for _, does := range []string{"babbles", "dies"} {
		a, err := toys(t, does)[1].Open()
		if err != nil {
			t.Fatal(err)
		}
		if took, err := a.Run(1); err == nil {
			t.Errorf("%s: took %v", does, took)
		}
		err = a.Close()
		if ends := does == "dies"; (err != nil) != ends || ends && !strings.Contains(err.Error(), "wrong: fib") {
			t.Errorf("%s: closing: error %v", does, err)
		}
	}
}

// Own keeps what the arm says of itself.
func TestOwn(t *testing.T) {
	measured := []bench.Metric{{Unit: "ns/op", Value: 1}, {Unit: "B/op", Value: 2}, {Unit: "cpu-ns/op", Value: 3}, {Unit: "cpu-ns/op", Value: 4}}
	for name, want := range map[string][]bench.Metric{
		"Fib/pool=toy/native=go": {{Unit: "ns/op", Value: 1}, {Unit: "cpu-ns/op", Value: 4}},
		"Fib/pool=toy":           {{Unit: "ns/op", Value: 1}, {Unit: "B/op", Value: 2}, {Unit: "cpu-ns/op", Value: 4}},
	} {
		if got := Own(name, measured); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
}

// On a machine without compilers the build succeeds, and says what it lacks.
func TestBuildLacksAll(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash")
	}
	tools, out := t.TempDir(), t.TempDir()
	for _, name := range []string{"mkdir", "dirname", "rm", "tee"} {
		path, err := exec.LookPath(name)
		if err != nil {
			t.Skipf("no %s", name)
		}
		if err := os.Symlink(path, filepath.Join(tools, name)); err != nil {
			t.Skip(err)
		}
	}
	c := exec.Command(bash, "native/build.sh", out)
	c.Env = []string{"PATH=" + tools}
	if said, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	cases, lacking, err := Natives(out, 2, Quick)
	if err != nil || len(cases) > 0 {
		t.Fatalf("%d cases, error %v", len(cases), err)
	}
	if want := []string{"tbb: no g++", "moodycamel: no g++", "rayon: no cargo", "tokio: no cargo", "crossbeam: no cargo"}; !reflect.DeepEqual(lacking, want) {
		t.Errorf("lacking %q, want %q", lacking, want)
	}
	if _, lacking, _ := Natives("", 2, Quick); len(lacking) != len(programs) || lacking[0] != "tbb: not built" {
		t.Errorf("without a folder: lacking %q", lacking)
	}
}
