package machine

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"os/user"
	"reflect"
	"strings"
	"testing"
)

// TestRead: every fact is there, or says that it is unavailable.
func TestRead(t *testing.T) {
	t.Setenv("GOGC", "50")
	f := Read(t.Context())
	v := reflect.ValueOf(f)
	for i := range v.NumField() {
		if v.Field(i).IsZero() {
			t.Errorf("%s is empty", v.Type().Field(i).Name)
		}
	}
	if f.Settings["GOGC"] != "50" {
		t.Errorf("settings %v", f.Settings)
	}
	var back Facts
	data, err := json.Marshal(f)
	if err == nil {
		err = json.Unmarshal(data, &back)
	}
	if err != nil || !reflect.DeepEqual(back, f) {
		t.Errorf("as JSON: %+v, %v, want %+v", back, err, f)
	}
}

// TestClass: it tells machines apart, and not what a machine does at the
// moment.
func TestClass(t *testing.T) {
	f := Read(t.Context())
	class := f.Class()
	f.Load, f.Go, f.GOMAXPROCS, f.Version, f.Commit = "9 9 9", "go9", 99, "v9", "abc"
	if f.Class() != class {
		t.Errorf("class %q became %q", class, f.Class())
	}
	f.CPUs++
	if f.Class() == class {
		t.Errorf("class %q with one CPU more", class)
	}
}

// TestPrivate: no names of people, machines or places.
func TestPrivate(t *testing.T) {
	data, err := json.Marshal(Read(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	var private []string
	if host, err := os.Hostname(); err == nil && len(host) > 3 {
		private = append(private, host)
	}
	if dir, err := os.Getwd(); err == nil {
		private = append(private, dir)
	}
	if u, err := user.Current(); err == nil && len(u.HomeDir) > 1 {
		private = append(private, u.HomeDir)
	}
	for _, word := range private {
		if strings.Contains(string(data), word) {
			t.Errorf("the facts have %q: %s", word, data)
		}
	}
}

// TestBuild: the commit is of our own repository, or it is not known; that of
// somebody who runs us in theirs is not ours.
func TestBuild(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	repo := func(module string) {
		dir := t.TempDir()
		t.Chdir(dir)
		if err := os.WriteFile("go.mod", []byte("module "+module+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, args := range []string{"init -q", "add go.mod", "-c user.name=a -c user.email=a@b commit -q -m one"} {
			if out, err := exec.Command("git", strings.Fields(args)...).CombinedOutput(); err != nil {
				t.Fatalf("git %s: %v: %s", args, err, out)
			}
		}
	}
	t.Setenv("GITHUB_SHA", "abc")
	repo("example.com/theirs")
	if _, commit := Build(t.Context()); commit != "unknown" {
		t.Errorf("in their repository: commit %s", commit)
	}
	t.Setenv("GITHUB_REPOSITORY", repository)
	if _, commit := Build(t.Context()); commit != "abc" {
		t.Errorf("in our workflow: commit %s", commit)
	}
	repo(module)
	_, commit := Build(t.Context())
	if len(commit) != 40 {
		t.Errorf("in our repository: commit %s", commit)
	}
	if err := os.WriteFile("new", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, dirty := Build(t.Context()); dirty != commit+" (modified)" {
		t.Errorf("with a new file: commit %s, want %s (modified)", dirty, commit)
	}
}

// TestCancelled: it returns, with what is unavailable said.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	f := Read(ctx)
	if f.GOOS == "" || f.CPU == "" || f.Memory == "" || f.Kernel == "" || f.Commit != "unknown" {
		t.Errorf("got %+v", f)
	}
}
