package soak

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/exactlyonce/certify/reports/record"
)

// Outcome is what a drill found.
type Outcome struct {
	Verdict record.Verdict
	Reason  record.Reason
	Detail  string // every finding, a line each, and what was left out
	Values  []record.Value
	Elapsed time.Duration // of the drill, without making and checking
}

// Err returns nil for a clean outcome.
func (o Outcome) Err() error {
	if o.Verdict == record.Certified {
		return nil
	}
	return fmt.Errorf("soak: %s (%s): %s", o.Verdict, o.Reason, o.Detail)
}

// findings collects violations. Probes on any goroutine may add some.
type findings struct {
	mu    sync.Mutex
	first record.Reason // guarded by mu
	lines []string      // guarded by mu; at most maxFindings
	more  int           // guarded by mu; not in lines
}

const maxFindings = 16

func (f *findings) add(reason record.Reason, format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.first == "" {
		f.first = reason
	}
	if len(f.lines) == maxFindings {
		f.more++
		return
	}
	f.lines = append(f.lines, string(reason)+": "+fmt.Sprintf(format, args...))
}

func (f *findings) none() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.first == ""
}

// outcome is the verdict on what was found: the first finding names it.
func (f *findings) outcome() Outcome {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.first == "" {
		return Outcome{Verdict: record.Certified}
	}
	detail := strings.Join(f.lines, "\n")
	if f.more > 0 {
		detail += fmt.Sprintf("\nand %d more", f.more)
	}
	return Outcome{Verdict: f.first.Verdict(), Reason: f.first, Detail: detail}
}
