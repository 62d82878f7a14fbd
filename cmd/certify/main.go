// Certify is a benchmark and stress-certification suite for task executors
// and concurrent queues.
//
//	certify run       the certificate: a million tasks exactly once, 100 times, under -race
//	certify soak      one drill on any subject
//	certify resume    go on with a run that was interrupted
//	certify bench     the benchmarks, arms interleaved
//	certify compare   benchstat's table, and a gate
//	certify report    make the reports of a run again
//	certify verify    recheck a certificate from its evidence
//	certify list      back ends, executors and drills
//	certify doctor    can this machine do it
//	certify version   what was built
//
// What people read goes to standard error while it runs; the result goes to
// standard output, with --json as one document. Exit codes: 0 certified or
// done, 1 failed, 2 usage, 3 inconclusive, 4 infrastructure, 130 and 143
// interrupted.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync/atomic"
	"syscall"
	"unicode"

	"github.com/exactlyonce/certify/soak/campaign"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	ctx, caught, stop := untilSignal()
	defer stop()
	root := newRoot(stdout, stderr)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err != nil && !errors.As(err, new(verdictError)) {
		fmt.Fprintln(stderr, "certify:", harmless(err.Error()))
		hint(stderr, err)
	}
	return exitCode(err, caught())
}

// untilSignal returns a context that the first SIGINT or SIGTERM ends; a
// second one ends the process as if nobody had asked to be told.
func untilSignal() (ctx context.Context, caught func() os.Signal, stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var first atomic.Value // os.Signal, set once
	ch := make(chan os.Signal, 1)
	signal.Notify(ch, os.Interrupt, syscall.SIGTERM)
	go func() {
		select {
		case s := <-ch:
			signal.Stop(ch)
			first.Store(s)
			cancel()
		case <-ctx.Done():
		}
	}()
	caught = func() os.Signal { s, _ := first.Load().(os.Signal); return s }
	return ctx, caught, func() { signal.Stop(ch); cancel() }
}

// usageError is a caller's mistake: exit code 2.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func usage(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// verdictError carries an exit code past cobra; the verdict has been printed.
type verdictError struct{ code int }

func (e verdictError) Error() string { return fmt.Sprintf("exit %d", e.code) }

const (
	exitUsage          = 2
	exitInfrastructure = 4
)

func exitCode(err error, caught os.Signal) int {
	var v verdictError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &v):
		return v.code
	// Whatever it kept from being done: nobody waits for another exit code.
	case caught == syscall.SIGTERM:
		return 143
	case caught != nil:
		return 130
	case errors.As(err, new(usageError)):
		return exitUsage
	}
	return exitInfrastructure
}

// hint says how to go on after an error that a machine can be cured of.
func hint(stderr io.Writer, err error) {
	say := func(format string, args ...any) { fmt.Fprintf(stderr, "certify: "+format+"\n", args...) }
	switch {
	case errors.Is(err, campaign.ErrNoCompiler):
		say("install one (Debian, Ubuntu: apt-get install gcc; Fedora: dnf install gcc; macOS: xcode-select --install),")
		say("or go on without the race detector, which then checks no data races: --race=false")
	case errors.Is(err, campaign.ErrNoGo):
		say("install Go (https://go.dev/dl), or put the directory of the go command into PATH")
	case errors.Is(err, campaign.ErrNoModule):
		say("go into a checkout of certify, or make it a tool of your module and run that:")
		say("  go get -tool github.com/exactlyonce/certify/cmd/certify@latest && go tool certify")
	}
	var h haltError
	if errors.As(err, &h) {
		say("%d of %d repetitions are recorded; go on with: certify resume %s", h.done, h.total, quote(h.dir))
	}
}

// haltError is what kept a run from its end. What it recorded stays.
type haltError struct {
	error
	done, total int
	dir         string
}

func (e haltError) Unwrap() error { return e.error }

// quote makes a path one word for a shell.
func quote(path string) string {
	plain := func(c rune) bool {
		return unicode.IsLetter(c) || unicode.IsDigit(c) || strings.ContainsRune("/\\:._-+=,@%", c)
	}
	if strings.ContainsFunc(path, func(c rune) bool { return !plain(c) }) {
		return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
	}
	return path
}
