package bench

import (
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"
)

// Case is one benchmark that can be run.
type Case struct {
	// Name is the name in the Go benchmark syntax, without "Benchmark" before
	// it and the number of processors behind it.
	Name string
	// Open makes everything ready. What it returns must be closed.
	Open func() (Arm, error)
}

// Family is the name up to the first slash.
func (c Case) Family() string {
	family, _, _ := strings.Cut(c.Name, "/")
	return family
}

// Arm is a case made ready. One goroutine at a time may use it.
type Arm interface {
	// Run does n operations, at least 1, and returns how long they took. It
	// returns an error that names the case if what came out is wrong; then the
	// arm may only be closed. The first Run also grows what grows, and is for
	// warming up where that matters.
	Run(n int) (time.Duration, error)

	// Metrics is what the last Run measured besides its time.
	Metrics() []Metric

	// Close ends what Open started, and returns an error if that shows that an
	// earlier Run did not do what it was to do.
	Close() error
}

// Metric is one measured value.
type Metric struct {
	Unit  string // one of Units, or of those that the benchmark format knows
	Value float64
}

// Cases returns all benchmarks of ours: the catalog's back ends, our executor
// with as many workers as there are processors (GOMAXPROCS) now, and the rows
// to compare with.
func Cases() []Case {
	return slices.Concat(QueueCases(rows()...), ourPoolCases(runtime.GOMAXPROCS(0), normal))
}

// ErrNoCase: nothing matches.
var ErrNoCase = errors.New("bench: no such case")

var (
	wellFormed = regexp.MustCompile(`^[A-Z][A-Za-z0-9]*(/[A-Za-z0-9_.-]+=[A-Za-z0-9_.-]+)*$`)
	// processors is how the benchmark format ends a name.
	processors = regexp.MustCompile(`-[0-9]+$`)
)

// Select returns the cases whose name matches the regular expression somewhere,
// all for "". It returns an error if pattern is none, one that is [ErrNoCase]
// if nothing matches, and one if a name of cases could not be read back from a
// benchmark file or is there twice.
func Select(cases []Case, pattern string) ([]Case, error) {
	match, err := regexp.Compile(pattern)
	if err != nil {
		return nil, fmt.Errorf("bench: select: %w", err)
	}
	names := map[string]bool{}
	var selected []Case
	for _, c := range cases {
		if !wellFormed.MatchString(c.Name) || processors.MatchString(c.Name) {
			return nil, fmt.Errorf("bench: select: name %q: want Name/key=value of letters, digits and _.-, with no -number last", c.Name)
		}
		if names[c.Name] {
			return nil, fmt.Errorf("bench: select: name %q: there twice", c.Name)
		}
		names[c.Name] = true
		if match.MatchString(c.Name) {
			selected = append(selected, c)
		}
	}
	if selected == nil {
		return nil, fmt.Errorf("bench: select %q: %w", pattern, ErrNoCase)
	}
	return selected, nil
}
