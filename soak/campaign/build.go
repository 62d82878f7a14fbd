package campaign

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/exactlyonce/certify/soak/child"
)

// runnerPackage is the program of a repetition.
const runnerPackage = "github.com/exactlyonce/certify/cmd/certify/runner"

// What a machine, or the directory one is in, can lack. Check wraps them.
var (
	ErrNoGo       = errors.New("the go command builds the runner, and is not there")
	ErrNoModule   = errors.New("the module of this directory does not have certify, which the runner is built from")
	ErrNoCompiler = errors.New("the race detector needs a C compiler")
)

// Check returns why Build would not work here. It writes nothing.
func Check(ctx context.Context, race bool) error {
	if _, err := exec.LookPath("go"); err != nil {
		return fmt.Errorf("campaign: %w: %w", ErrNoGo, err)
	}
	var err error
	if race {
		err = checkCompiler(ctx)
	}
	if err == nil {
		_, err = goCommand(ctx, "list", "-find", "-buildvcs=false", runnerPackage)
	}
	if ctx.Err() != nil {
		return ErrInterrupted
	}
	return err
}

// goCommand returns the output of the go command, or an error in its words.
func goCommand(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	var out, words bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &words
	if err := cmd.Run(); err != nil {
		return "", goError(args, err.Error(), words.String())
	}
	return strings.TrimSpace(out.String()), nil
}

func goError(args []string, what, words string) error {
	err := fmt.Errorf("campaign: go %s: %s\n%s", strings.Join(args, " "), what, strings.TrimSpace(words))
	for _, lacks := range []string{"no required module provides package", "cannot find module providing package"} {
		if strings.Contains(words, lacks+" "+runnerPackage) {
			return fmt.Errorf("%w\n%w", ErrNoModule, err)
		}
	}
	return err
}

func checkCompiler(ctx context.Context) error {
	out, err := goCommand(ctx, "env", "CC")
	if err != nil {
		return err
	}
	cc := strings.Fields(out)
	if len(cc) == 0 {
		return fmt.Errorf("campaign: go env CC is empty: %w", ErrNoCompiler)
	}
	if _, err := exec.LookPath(cc[0]); err != nil {
		return fmt.Errorf("campaign: %w: %w", ErrNoCompiler, err)
	}
	return nil
}

// Build compiles the runner to path, from the module of the working
// directory, and returns its SHA-256. With a package that is imported, its
// executors are in it, too. The same sources and the same Go make
// the same bytes. A file at path is whole, whenever a Build was killed.
func Build(ctx context.Context, path string, race bool, imported string) (sha string, err error) {
	// Hidden, and ending like this, it is taken away when the run is resumed.
	temp := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+"."+rand.Text()+".tmp")
	defer os.Remove(temp) // not there any more when all is well
	args := []string{"build", "-trimpath", "-buildvcs=false", "-o", temp}
	if race {
		args = append(args, "-race")
	}
	if imported == "" {
		err = build(ctx, append(args, runnerPackage), race)
	} else {
		err = buildImporting(ctx, args, race, imported)
	}
	if err != nil {
		return "", err
	}
	if err := errors.Join(ownersOnly(temp), syncFile(temp)); err != nil {
		return "", fmt.Errorf("campaign: build: %w", err)
	}
	if err := os.Rename(temp, path); err != nil {
		return "", fmt.Errorf("campaign: build: %w", err)
	}
	return SHA256(path)
}

// build runs the go command as a child, so that nobody of those it starts
// outlives an interrupt.
func build(ctx context.Context, args []string, race bool) error {
	command, err := exec.LookPath("go")
	if err != nil {
		return fmt.Errorf("campaign: %w: %w", ErrNoGo, err)
	}
	dir, err := os.MkdirTemp("", "certify-build-")
	if err != nil {
		return fmt.Errorf("campaign: build: %w", err)
	}
	defer os.RemoveAll(dir)
	log := filepath.Join(dir, "log")
	exit, err := child.Run(ctx, child.Spec{Path: command, Args: args, Env: withCgo(race), LogPath: log, Foreign: true})
	switch {
	case exit.Cause == child.Cancelled || ctx.Err() != nil:
		return ErrInterrupted
	case err != nil:
		return err
	case exit.Code != 0:
		words, _ := os.ReadFile(log) // without them there is still the code
		return goError(args, fmt.Sprintf("exit code %d", exit.Code), string(words))
	}
	return nil
}

// withCgo: only the race detector needs cgo, and a CGO_ENABLED=0 in the
// environment must not keep it from working.
func withCgo(race bool) []string {
	if race {
		return append(os.Environ(), "CGO_ENABLED=1")
	}
	return append(os.Environ(), "CGO_ENABLED=0")
}

// ownersOnly takes from others the right to write a program that we are going to
// run: the go command leaves that to the umask.
func ownersOnly(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	return os.Chmod(path, info.Mode().Perm()&^0o022)
}

func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// SHA256 is the hash of a file in hex.
func SHA256(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("campaign: hash: %w", err)
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("campaign: hash %s: %w", path, err)
	}
	return fmt.Sprintf("%x", h.Sum(nil)), nil
}
