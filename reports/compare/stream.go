package compare

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"unicode"
	"unicode/utf8"
)

// stream is the output of one package: the whole of a plain file, or what
// `go test -json` says belongs to it. It keeps the lines that can mean
// something, each with its place.
type stream struct {
	limitB  int    // longer lines are text, or refused
	partial []byte // of a line, from events that did not end it
	started int    // the line of the input at which partial began

	text    bytes.Buffer // the lines kept
	numbers []int        // Invariant: numbers[i] is the place of line i of text
	cut     bool         // the last line kept was not ended
	refused []*InputError

	// verbose is set from the first name on a line of its own, as `go test -v`
	// prints it, to the end of the package. In between stand results and what
	// benchmarks log, so a logged "note: steal" is no configuration.
	verbose bool
}

// add takes a line; of one that is too long, at least the first limitB bytes.
func (s *stream) add(number int, text []byte, ended bool) {
	switch {
	case len(text) >= s.limitB:
		if bytes.HasPrefix(text, benchmark) || bytes.HasPrefix(text, unit) {
			s.refuse(number, fmt.Sprintf("longer than %d bytes", s.limitB))
		}
		return
	case bytes.HasPrefix(text, benchmark):
		if isName(text) {
			s.verbose = true
			if !ended {
				s.refuse(number, "a result"+ending(true))
			}
			return
		}
		if isProse(text) {
			return
		}
	case endsPackage(text):
		s.verbose = false
		return
	case isUnit(text):
		if s.verbose {
			return
		}
	default:
		key, ok := configKey(text)
		if !ok || s.verbose && key != "goos" && key != "pkg" {
			return
		}
		s.verbose = false // goos or pkg: the next package, without the end of the last
	}
	s.text.Write(text)
	s.text.WriteByte('\n')
	s.numbers = append(s.numbers, number)
	s.cut = !ended
}

func (s *stream) refuse(number int, problem string) {
	if len(s.refused) < maxProblems {
		s.refused = append(s.refused, &InputError{Line: number, Problem: problem})
	}
}

// sizeB is about what s holds.
func (s *stream) sizeB() int { return s.text.Len() + 8*len(s.numbers) + len(s.partial) }

// output takes what one event says. A line may be split over several.
func (s *stream) output(number int, out []byte) {
	for len(out) > 0 {
		if len(s.partial) == 0 {
			s.started = number
		}
		head, rest, ended := bytes.Cut(out, []byte("\n"))
		if len(s.partial) < s.limitB {
			s.partial = append(s.partial, head[:min(len(head), s.limitB)]...)
		}
		if ended {
			s.add(s.started, bytes.TrimSuffix(s.partial, []byte("\r")), true)
			s.partial = s.partial[:0]
		}
		out = rest
	}
}

var (
	benchmark = []byte("Benchmark")
	unit      = []byte("Unit")
)

func isName(text []byte) bool {
	return !bytes.ContainsFunc(text, unicode.IsSpace)
}

// isProse reports whether a line that begins with Benchmark is somebody's
// sentence: "Benchmarking with 3 workers". A damaged result is not.
func isProse(text []byte) bool {
	fields := bytes.Fields(text)
	next, _ := utf8.DecodeRune(fields[0][len(benchmark):])
	named := len(fields[0]) > len(benchmark) && !unicode.IsLower(next)
	return !named && len(fields) > 1 && !unicode.IsDigit(rune(fields[1][0]))
}

func endsPackage(text []byte) bool {
	for _, end := range []string{"PASS", "FAIL", "ok  \t", "FAIL\t", "exit status "} {
		if string(text) == end || len(end) > 4 && bytes.HasPrefix(text, []byte(end)) {
			return true
		}
	}
	return false
}

// isUnit reports whether text says something of a unit. "Unit tests passed"
// does not.
func isUnit(text []byte) bool {
	rest, ok := bytes.CutPrefix(text, unit)
	return ok && bytes.ContainsRune(rest, '=') && len(bytes.TrimLeftFunc(rest, unicode.IsSpace)) < len(rest)
}

// configKey returns the key of a line of the form key: value.
func configKey(text []byte) (string, bool) {
	key, _, ok := bytes.Cut(text, []byte(":"))
	first, _ := utf8.DecodeRune(key)
	if !ok || !unicode.IsLower(first) || bytes.ContainsFunc(key, unicode.IsSpace) {
		return "", false
	}
	return string(key), true
}

// event is a line of `go test -json`.
type event struct{ Action, Package, Output string }

// isEvent reports whether text is an event, or is meant to be one: torn.
func isEvent(text []byte, before bool) (e event, is, torn bool) {
	if !bytes.HasPrefix(text, []byte("{")) {
		return e, false, false
	}
	if err := json.Unmarshal(text, &e); err == nil && e.Action != "" {
		return e, true, false
	}
	begins := func(s string) bool { return bytes.HasPrefix(text, []byte(s)) }
	return event{}, false, before || slices.ContainsFunc([]string{`{"Time":"`, `{"Action":"`, `{"ImportPath":"`}, begins)
}
