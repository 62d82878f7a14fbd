// Package subjects_test runs the certify command, as people do, on subjects that were
// not written with it in mind, and on such as would bring it down.
package subjects_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	here     = "github.com/exactlyonce/certify/soak/subjects/"
	markName = "SUBJECTS_TEST_MARK"
	patience = 3 * time.Minute // for one run, which takes half of one where nobody else works
)

var built struct {
	sync.Once
	dir string
	err error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if err := writeRecord(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	if built.dir != "" {
		_ = os.RemoveAll(built.dir)
	}
	os.Exit(code)
}

// command is the path of the real certify, built once.
func command(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("builds certify and its runners")
	}
	built.Do(func() {
		if built.dir, built.err = os.MkdirTemp("", "certify-subjects-"); built.err != nil {
			return
		}
		cmd := exec.Command("go", "build", "-o", filepath.Join(built.dir, "certify"), "./cmd/certify")
		cmd.Dir = filepath.Join("..", "..")
		if out, err := cmd.CombinedOutput(); err != nil {
			built.err = errors.New(string(out))
		}
	})
	if built.err != nil {
		t.Fatal(built.err)
	}
	return filepath.Join(built.dir, "certify")
}

// run is what certify came to.
type run struct {
	code     int
	out, err string
}

// certify runs the command in this module. It must end by itself, and leave nobody
// behind.
func certify(t *testing.T, args ...string) run {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	mark := rand.Text()
	dir := filepath.Join(t.TempDir(), "run")
	args = append(args, "--low-water", "0", "--out", dir)
	cmd := exec.CommandContext(ctx, command(t), args...)
	cmd.Env = append(os.Environ(), markName+"="+mark)
	cmd.WaitDelay = time.Second
	var out, words bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &words
	err := cmd.Run()
	if err != nil && !errors.As(err, new(*exec.ExitError)) || ctx.Err() != nil {
		t.Fatalf("certify %v: %v, %v\n%s%s", args, err, ctx.Err(), &out, tail(words.String()))
	}
	if left := alive(mark); len(left) > 0 {
		t.Errorf("certify %v left processes behind: %v", args, left)
	}
	if err := remember(dir); err != nil {
		t.Error(err)
	}
	return run{cmd.ProcessState.ExitCode(), out.String(), words.String()}
}

// alive are the processes that have the mark in their environment: certify's, and
// all that came of it.
func alive(mark string) (left []string) {
	all, _ := filepath.Glob("/proc/[0-9]*/environ") // none where there is no /proc
	for _, path := range all {
		environ, err := os.ReadFile(path)
		if err == nil && bytes.Contains(environ, []byte(markName+"="+mark)) {
			line, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
			left = append(left, string(bytes.ReplaceAll(line, []byte{0}, []byte{' '})))
		}
	}
	return left
}

// comesTo checks the exit code, and that each of the words was said.
func (r run) comesTo(t *testing.T, code int, words ...string) {
	t.Helper()
	if r.code != code {
		t.Errorf("exit code %d, want %d", r.code, code)
	}
	for _, w := range words {
		if !strings.Contains(r.out+r.err, w) {
			t.Errorf("nothing says %q", w)
		}
	}
	if t.Failed() {
		t.Logf("standard output:\n%s\nstandard error:\n%s", tail(r.out), tail(r.err))
	}
}

func tail(s string) string { return s[max(0, len(s)-8<<10):] }
