package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"certify":       main,
		"interruptible": interruptible,
	})
}

// interruptible is a command that takes its time after an interrupt.
func interruptible() {
	ctx, _, _ := untilSignal()
	fmt.Println("ready")
	<-ctx.Done()
	fmt.Println("interrupted")
	select {}
}

// TestScripts runs testdata/script/*.txtar, each in a directory of its own
// from which the runner can be built.
func TestScripts(t *testing.T) {
	path := buildOnce(t) + string(filepath.ListSeparator) + os.Getenv("PATH")
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			env, err := buildEnv(e.WorkDir)
			e.Vars = append(append(e.Vars, env...), "PATH="+path)
			return err
		},
		Condition: func(cond string) (bool, error) {
			if cond == "cc" {
				_, err := exec.LookPath("gcc")
				return err == nil, nil
			}
			return false, fmt.Errorf("no condition %q", cond)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "json": jsonFields, "repeat": repeat, "log": logOf,
			"append": appendText, "cut": cut, "which": which, "removeall": removeAll,
		},
	})
}

// buildEnv is the environment in which a process in any directory finds our
// module: a workspace that is made in dir.
func buildEnv(dir string) ([]string, error) {
	module, err := filepath.Abs("../..")
	if err != nil {
		return nil, err
	}
	work := filepath.Join(dir, "go.work")
	err = os.WriteFile(work, fmt.Appendf(nil, "go 1.26.0\n\nuse %q\n", module), 0o644)
	env := []string{"GOWORK=" + work, "SOURCE=" + module}
	names := []string{"GOCACHE", "GOMODCACHE", "GOPATH", "GOROOT"}
	out, goErr := exec.Command("go", append([]string{"env"}, names...)...).Output()
	for i, v := range strings.Fields(string(out)) {
		env = append(env, names[i]+"="+v)
	}
	return env, errors.Join(err, goErr)
}

// buildOnce returns a directory with a go command that builds each runner
// once and copies it from then on: half a second less a run, and there are
// many. Where there is no shell it is empty.
func buildOnce(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if runtime.GOOS == "windows" {
		return dir
	}
	real, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	script := fmt.Sprintf(`#!/bin/sh
[ "$1 $4" = "build -o" ] || exec %[1]s "$@"
[ "$7" != -overlay ] && [ "$6" != -overlay ] || exec %[1]s "$@"
kept=%[2]s/runner; [ "$6" = -race ] && kept=$kept-race
[ -e $kept ] && exec cp $kept "$5"
%[1]s "$@" && cp "$5" $kept.$$ && mv $kept.$$ $kept
`, real, dir)
	if err := os.WriteFile(filepath.Join(dir, "go"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}
