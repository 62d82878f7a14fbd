package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// bench is what the faults are made with: a certify, and room.
type bench struct {
	options
	random  *rand.Rand
	stdout  io.Writer
	certify string   // the command
	root    string   // of the module, where the runner is built
	work    string   // all that is made goes here
	env     []string // more of it, for the command
	plan    []string // flags of a short plan
	runs    int      // that were made

	within   time.Duration    // a kill comes so soon after a start, or thrice that when the runner is built
	patience time.Duration    // far above what a run takes
	dying    time.Duration    // far above what it takes to die with one's parent
	samples  int              // of cuts that certify resume is given
	ends     int              // of lines around whose ends it is given cuts, too: of the first and of the last
	step     int              // from one cut to the next that the reader is given
	signals  []syscall.Signal // one of them is drawn
}

// The short plan: a repetition takes some tenths of a second under -race.
const shortReps = 14

func newBench(ctx context.Context, o options, stdout io.Writer) (*bench, error) {
	root, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "github.com/exactlyonce/certify").Output()
	if err != nil {
		return nil, fmt.Errorf("find the module: %w", err)
	}
	work, err := os.MkdirTemp("", "certify-faults-")
	if err != nil {
		return nil, err
	}
	b := &bench{
		options: o, stdout: stdout, root: strings.TrimSpace(string(root)), work: work,
		within: 800 * time.Millisecond, patience: 3 * time.Minute, dying: 10 * time.Second, samples: 40, ends: 3, step: 1,
		signals: []syscall.Signal{syscall.SIGKILL, syscall.SIGKILL, syscall.SIGKILL, syscall.SIGTERM, syscall.SIGINT},
		certify: filepath.Join(work, "certify"),
		plan:    []string{"soak", "--tasks", "2000", "--workers", "2", "--low-water", "0", "--deadline", "1m", "--reps", fmt.Sprint(shortReps)},
	}
	if err := b.build(ctx, b.certify); err != nil {
		b.close()
		return nil, err
	}
	return b, nil
}

func (b *bench) build(ctx context.Context, path string, flags ...string) error {
	b.pause()
	args := append(append([]string{"build"}, flags...), "-o", path, "./cmd/certify")
	build := exec.CommandContext(ctx, "go", args...)
	build.Dir = b.root
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build certify: %w\n%s", err, out)
	}
	return nil
}

func (b *bench) close() {
	if err := os.RemoveAll(b.work); err != nil {
		fmt.Fprintln(b.stdout, "faults: left behind:", err)
	}
}

// pause waits while somebody needs the machine for himself.
func (b *bench) pause() {
	for b.waitWhile != "" {
		if _, err := os.Stat(b.waitWhile); err != nil {
			return
		}
		time.Sleep(time.Second)
	}
}

// dir names a directory for a run, which is not there yet.
func (b *bench) dir() string {
	b.runs++
	return filepath.Join(b.work, fmt.Sprintf("run%d", b.runs))
}

// soak is the command of the short plan with a directory of its own.
func (b *bench) soak(dir string, more ...string) launch {
	seed := fmt.Sprint(b.random.Uint64() | 1)
	return launch{args: append(append(b.plan[:len(b.plan):len(b.plan)], "--seed", seed, "--out", dir), more...)}
}

func (b *bench) resume(dir string) launch { return launch{args: []string{"resume", dir}} }

// whole makes a run that is done, of so many repetitions.
func (b *bench) whole(dir string, reps int) (ledger, error) {
	e := b.run(b.soak(dir, "--reps", fmt.Sprint(reps)))
	if bad := done(dir, e, 0); len(bad) > 0 {
		return ledger{}, fmt.Errorf("a run without a fault: %s", strings.Join(bad, "; "))
	}
	return readLedger(dir)
}

// verified are the problems that the certificate of a run has by certify verify, which
// must agree with the exit code of the run.
func (b *bench) verified(dir string, code int) []string {
	e := b.run(launch{args: []string{"verify", "--any-commit", filepath.Join(dir, "certificate.json")}})
	if e.code != code || e.hung || len(e.left) > 0 {
		return []string{fmt.Sprintf("certify verify: exit code %d, the run's was %d: %s", e.code, code, tail(e.err+e.out))}
	}
	return nil
}

// copyRun copies the files of a run, without its logs, with the runner as a link.
func copyRun(from, to string) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(to, "logs"), 0o777); err != nil {
		return err
	}
	for _, e := range entries {
		name := filepath.Join(to, e.Name())
		if e.IsDir() {
			continue
		}
		if e.Name() == "runner.bin" {
			if err := os.Link(filepath.Join(from, e.Name()), name); err != nil {
				return err
			}
			continue
		}
		data, err := os.ReadFile(filepath.Join(from, e.Name()))
		if err != nil {
			return err
		}
		if err := os.WriteFile(name, data, 0o644); err != nil {
			return err
		}
	}
	return nil
}
