// Package survey explores packages of back ends as they are: it builds a program of
// them with the explorer's shims underneath, whose files are never touched, runs all
// small programs of each back end through it, and sums up what came of them.
//
//	sites, err := survey.Build(ctx, ".", "explorer.bin", "example.com/their/queues")
//	cmd := exec.Command("explorer.bin", survey.Standard.Args(queues.KindDeque, "theirs")...)
//	sum, err := survey.Read(output)
package survey

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/exactlyonce/certify/queues"
	"github.com/exactlyonce/certify/soak/explore"
	"github.com/exactlyonce/certify/soak/explore/rewrite"
	"github.com/exactlyonce/certify/soak/explore/scenario"
)

const module = "github.com/exactlyonce/certify/"

// coarse are the epochs of ours, each call of which is one step: the states are a
// hundred times as many otherwise, and the package is explored by itself. So few
// nodes retire in a small program that no epoch ends.
var coarse = rewrite.Coarse{Package: module + "queues/epoch", Reads: []string{"Pin", "Unpin", "Home", "Stats", "Alloc", "Retire"}}

// Build writes a program that explores the back ends of the packages, each of which
// exports func Backends[E any]() []queues.Backend[*E], to the file out. It is built
// in the module of dir. The result says what the explorer has not under control.
func Build(ctx context.Context, dir, out string, packages ...string) (*rewrite.Result, error) {
	work, err := os.MkdirTemp("", "certify-explore-")
	if err != nil {
		return nil, fmt.Errorf("survey: build: %w", err)
	}
	defer os.RemoveAll(work)
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("survey: build: %w", err)
	}
	r, err := rewrite.Build(rewrite.Subject{
		Dir: dir, Work: work, Coarse: []rewrite.Coarse{coarse},
		Patterns: append([]string{module + "soak/explore/scenario"}, packages...),
	}, driver(packages), out)
	if err != nil {
		return nil, fmt.Errorf("survey: build: %w", err)
	}
	return r, nil
}

// driver is the main package of an explorer.
func driver(packages []string) string {
	var b bytes.Buffer
	b.WriteString("package main\n\nimport (\n\t\"os\"\n\n\t\"" + module + "queues\"\n\t\"" + module + "soak/explore/scenario\"\n")
	for i, p := range packages {
		fmt.Fprintf(&b, "\tp%d %q\n", i, p)
	}
	b.WriteString(")\n\nfunc main() {\n\tvar all []queues.Backend[*scenario.Item]\n")
	for i := range packages {
		fmt.Fprintf(&b, "\tall = append(all, p%d.Backends[scenario.Item]()...)\n", i)
	}
	b.WriteString("\tos.Exit(scenario.Main(all, os.Args[1:], os.Stdout, os.Stderr))\n}\n")
	return b.String()
}

// Size bounds a survey.
type Size struct {
	Length     int `json:"length"`     // deques: operations of the owner, at most
	Each       int `json:"each"`       // injectors: operations of a thread, at most
	Executions int `json:"executions"` // of a scenario; past them only orders with few preemptions, as many again
}

// Sizes by the time that our own back ends take, on one processor.
var (
	Quick    = Size{5, 2, 2_000}   // seconds
	Standard = Size{6, 2, 20_000}  // half a minute
	Long     = Size{6, 2, 200_000} // minutes
)

// Args are the arguments of an explorer for one back end.
func (s Size) Args(kind queues.Kind, name string) []string {
	length, each := s.Length, 0
	if kind == queues.KindInjector {
		length, each = 1, s.Each
	}
	return []string{
		"-backend", name, "-first", "-length", strconv.Itoa(length), "-each", strconv.Itoa(each), "-executions", strconv.Itoa(s.Executions),
	}
}

// Sum is what the scenarios of a back end came to.
type Sum struct {
	Scenarios, Exhausted int // exhausted: every order of theirs was tried
	Within               int // preemptions up to which all others were; -1 if all are exhausted
	Executions           int
	Seconds              float64
	Failed               *scenario.Result // the first that did not pass, or nil
}

// ErrOutput: an explorer has printed something else.
var ErrOutput = errors.New("not the output of an explorer")

// Read sums up what an explorer printed.
func Read(out io.Reader) (Sum, error) {
	sum := Sum{Within: -1}
	d := json.NewDecoder(out)
	for {
		var r scenario.Result
		switch err := d.Decode(&r); {
		case err == io.EOF:
			return sum, nil
		case err != nil:
			return sum, fmt.Errorf("survey: read: %w: %w", ErrOutput, err)
		case r.Backend == "" || r.Scenario == "":
			return sum, fmt.Errorf("survey: read: %w: a result without names", ErrOutput)
		}
		sum.add(r)
	}
}

func (s *Sum) add(r scenario.Result) {
	s.Scenarios++
	s.Executions += r.Executions
	s.Seconds += r.Seconds
	switch {
	case r.Verdict != explore.Passed.String():
		if s.Failed == nil {
			s.Failed = &r
		}
	case r.Exhausted:
		s.Exhausted++
	case s.Within < 0 || r.Within < s.Within:
		s.Within = r.Within
	}
}
