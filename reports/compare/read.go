package compare

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"
)

// Set is what one input holds: its results in their order, and what it says
// of its units. It does not change.
type Set struct {
	name    string
	results []*benchfmt.Result
	units   benchfmt.UnitMetadataMap
	// places are where the units were described.
	places map[benchfmt.UnitMetadataKey]string
}

// InputError is one thing that is wrong with an input.
type InputError struct {
	File    string
	Line    int // from 1; 0 when it is not one line that is wrong
	Problem string
}

func (e *InputError) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("compare: read %s: %s", e.File, e.Problem)
	}
	return fmt.Sprintf("compare: read %s:%d: %s", e.File, e.Line, e.Problem)
}

// Read reads results in the Go benchmark format: plain, with log lines between
// them, or inside the events of `go test -json`, packages interleaved or not;
// UTF-8, or UTF-16 with a byte order mark; lines ended by LF or CRLF. The name
// is the file in errors and the column in tables.
//
// What cannot be read as what it says is refused: the error wraps an
// [InputError] for each of the first ten lines that are wrong. So is an input
// without a result. Values must be finite and below 1e300. A last line without
// an end is taken only where its last unit is known to be whole.
//
// Inside the output of `go test -v`, where anything may be logged, only results
// count: a configuration or a Unit line after the first name is not taken for
// one. An input of more than 256 MiB, or a result longer than 32 KiB, is refused.
func Read(name string, r io.Reader) (*Set, error) {
	return read(name, name, r, defaultLimits)
}

// ReadFiles reads files as benchstat takes them: an argument is a path, or
// label=path with the label for the column. A path given twice becomes two
// columns, path#0 and path#1; sets of the same label become one.
func ReadFiles(args ...string) ([]*Set, error) {
	times := map[string]int{}
	for _, arg := range args {
		if !strings.Contains(arg, "=") {
			times[arg]++
		}
	}
	seen := map[string]int{}
	var sets []*Set
	var errs []error
	for _, arg := range args {
		label, path, labelled := strings.Cut(arg, "=")
		if !labelled {
			path = arg
		}
		if !labelled && times[path] > 1 {
			label = fmt.Sprintf("%s#%d", path, seen[path])
			seen[path]++
		}
		set, err := readFile(label, path)
		sets, errs = append(sets, set), append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return sets, nil
}

func readFile(label, path string) (*Set, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("compare: %w", err)
	}
	defer f.Close()
	return read(label, path, f, defaultLimits)
}

// reading is a Set as it grows.
type reading struct {
	path     string
	lim      limits
	set      *Set
	streams  []*stream
	packages map[string]*stream // of -json; "" for what stands outside of events
	parser   benchfmt.Reader
	whole    map[string]bool // units that some whole line has
	usedB    int
	problems []error
}

const maxProblems = 10

func read(label, path string, r io.Reader, lim limits) (*Set, error) {
	in := &reading{
		path: path, lim: lim, packages: map[string]*stream{},
		set:   &Set{name: label, places: map[benchfmt.UnitMetadataKey]string{}},
		whole: map[string]bool{"ns/op": true, "MB/s": true, "B/op": true, "allocs/op": true},
	}
	count, err := in.split(newLines(r, lim))
	if errors.Is(err, errTooMuch) || errors.Is(err, errHalf) {
		in.problem(count, err.Error())
	} else if err != nil {
		return nil, fmt.Errorf("compare: read %s: %w", path, err)
	}
	for _, s := range in.streams {
		in.parse(label, s)
	}
	if len(in.problems) == 0 && len(in.set.results) == 0 {
		in.problem(0, fmt.Sprintf("no benchmark result in %d lines", count))
	}
	in.set.units = in.parser.Units()
	if len(in.problems) > 0 {
		return nil, errors.Join(in.problems...)
	}
	return in.set, nil
}

func (in *reading) problem(number int, what string) {
	if len(in.problems) < maxProblems {
		in.problems = append(in.problems, &InputError{in.path, number, what})
	}
}

// split gives each line to its stream and returns how many there were.
func (in *reading) split(l *lines) (count int, err error) {
	events := false
	for {
		got, err := l.next()
		if err == io.EOF {
			in.flush()
			return count, nil
		}
		if err != nil {
			return count + 1, err
		}
		count = got.number
		if bytes.IndexByte(got.text, 0) >= 0 {
			in.problem(count, "a NUL byte: not text, or UTF-16 without a byte order mark")
			return count, nil
		}
		e, is, torn := isEvent(got.text, events)
		events = events || is
		if torn {
			in.problem(count, "not a whole event of go test -json")
		} else if !is || e.Action == "output" {
			in.give(got, e, is)
		}
		if in.usedB > in.lim.retainedB {
			return count, errTooMuch
		}
	}
}

// give hands a line, or what an event says, to its stream.
func (in *reading) give(got line, e event, is bool) {
	s := in.stream(e.Package)
	beforeB := s.sizeB()
	if is {
		s.output(got.number, []byte(e.Output))
	} else {
		s.add(got.number, got.text, got.ended)
	}
	in.usedB += s.sizeB() - beforeB
}

// flush ends what events left unended.
func (in *reading) flush() {
	for _, s := range in.streams {
		if len(s.partial) > 0 {
			s.add(s.started, s.partial, false)
		}
	}
}

func (in *reading) stream(pkg string) *stream {
	if s := in.packages[pkg]; s != nil {
		return s
	}
	in.usedB += 512 + len(pkg)
	s := &stream{limitB: in.lim.lineB}
	in.packages[pkg], in.streams = s, append(in.streams, s)
	return s
}

// parse takes the results and units of s. Units carry over to the next
// stream, configuration does not.
func (in *reading) parse(label string, s *stream) {
	for _, e := range s.refused {
		in.problem(e.Line, e.Problem)
	}
	in.parser.Reset(&s.text, in.path, ".file", label)
	for in.parser.Scan() {
		rec := in.parser.Result()
		_, at := rec.Pos()
		number, cut := s.numbers[at-1], s.cut && at == len(s.numbers)
		switch rec := rec.(type) {
		case *benchfmt.SyntaxError:
			in.problem(number, rec.Msg+ending(cut))
		case *benchfmt.UnitMetadata:
			in.set.places[rec.UnitMetadataKey] = fmt.Sprintf("%s:%d", in.path, number)
			if cut {
				in.problem(number, "a description of a unit"+ending(cut))
			}
		case *benchfmt.Result:
			if what := in.check(rec, cut); what != "" {
				in.problem(number, what)
				continue
			}
			if in.usedB += sizeB(rec); in.usedB > in.lim.retainedB {
				in.problem(number, errTooMuch.Error())
				return
			}
			in.set.results = append(in.set.results, rec.Clone())
		}
	}
	if err := in.parser.Err(); err != nil {
		in.problem(0, err.Error())
	}
}

func ending(cut bool) string {
	if cut {
		return ": the last line has no end, and may be cut short"
	}
	return ""
}

const (
	maxConfig = 256
	maxValue  = 1e300 // medians and ratios of such values are finite
)

// check returns what is wrong with a result that could be parsed.
func (in *reading) check(r *benchfmt.Result, cut bool) string {
	if r.Iters < 1 {
		return fmt.Sprintf("%d iterations: want at least one", r.Iters)
	}
	if len(r.Config) > maxConfig {
		return fmt.Sprintf("more than %d lines of configuration are in force", maxConfig)
	}
	for i, v := range r.Values {
		if math.IsNaN(v.Value) || math.Abs(v.Value) > maxValue {
			return fmt.Sprintf("%s is %v: want a finite number", v.Unit, v.Value)
		}
		// Compared as tidied: ns/op and sec/op are one measurement twice.
		if slices.ContainsFunc(r.Values[:i], func(have benchfmt.Value) bool { return have.Unit == v.Unit }) {
			return fmt.Sprintf("%s is measured twice", v.Unit)
		}
	}
	last := written(r.Values[len(r.Values)-1])
	if cut && !in.whole[last] {
		return fmt.Sprintf("unit %s", last) + ending(cut)
	}
	for _, v := range r.Values {
		in.whole[written(v)] = true
	}
	return ""
}

// written is the unit as it stands in the file.
func written(v benchfmt.Value) string {
	if v.OrigUnit != "" {
		return v.OrigUnit
	}
	return v.Unit
}

// sizeB is about what a copy of r holds.
func sizeB(r *benchfmt.Result) int {
	n := 256 + len(r.Name)
	for _, c := range r.Config {
		n += 64 + len(c.Key) + len(c.Value)
	}
	return n + 64*len(r.Values)
}
