package campaign

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// runnerPackage is the program of a repetition.
const runnerPackage = "github.com/exactlyonce/certify/cmd/certify/runner"

// ErrNoCompiler is wrapped when -race lacks the C compiler that it needs.
var ErrNoCompiler = errors.New("the race detector needs a C compiler")

// Build compiles the runner to path, from the module of the working
// directory, and returns its SHA-256. The same sources and the same Go make
// the same bytes.
func Build(ctx context.Context, path string, race bool) (sha string, err error) {
	if race {
		if err := CheckRace(ctx); err != nil {
			return "", err
		}
	}
	args := []string{"build", "-trimpath", "-buildvcs=false", "-o", path}
	if race {
		args = append(args, "-race")
	}
	cmd := exec.CommandContext(ctx, "go", append(args, runnerPackage)...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.Env = withCgo(race)
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return "", ErrInterrupted
		}
		return "", fmt.Errorf("campaign: go %s: %w\n%s", strings.Join(cmd.Args[1:], " "), err, bytes.TrimSpace(out.Bytes()))
	}
	return SHA256(path)
}

// withCgo: only the race detector needs cgo, and a CGO_ENABLED=0 in the
// environment must not keep it from working.
func withCgo(race bool) []string {
	if race {
		return append(os.Environ(), "CGO_ENABLED=1")
	}
	return append(os.Environ(), "CGO_ENABLED=0")
}

// CheckRace returns an error that wraps ErrNoCompiler when there is no C
// compiler for -race.
func CheckRace(ctx context.Context) error {
	out, err := exec.CommandContext(ctx, "go", "env", "CC").Output()
	if err != nil {
		return fmt.Errorf("campaign: go env CC: %w", err)
	}
	cc := strings.Fields(string(out))
	if len(cc) == 0 {
		return fmt.Errorf("campaign: go env CC is empty: %w", ErrNoCompiler)
	}
	if _, err := exec.LookPath(cc[0]); err != nil {
		return fmt.Errorf("campaign: %w: %w", ErrNoCompiler, err)
	}
	return nil
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
