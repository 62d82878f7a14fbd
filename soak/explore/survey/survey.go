// Package survey explores packages of back ends as they are, and our reclaimer and
// protocols: it builds a program of them with the explorer's shims underneath, whose
// files are never touched, runs all small programs of each subject through it, and
// sums up what came of them.
//
//	built, err := survey.Build(ctx, ".", "explorer.bin", survey.Packages{Backends: []string{"example.com/their/queues"}})
//	cmd := exec.Command("explorer.bin", survey.Standard.Args(survey.Deque, "theirs")...)
//	sum, err := survey.Read(output)
package survey

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/exactlyonce/certify/soak/explore/driver"
	"github.com/exactlyonce/certify/soak/explore/limbo"
	"github.com/exactlyonce/certify/soak/explore/protocol"
	"github.com/exactlyonce/certify/soak/explore/rewrite"
	"github.com/exactlyonce/certify/soak/explore/trial"
)

const module = "github.com/exactlyonce/certify/"

// coarse are the packages of ours each call of which is one step, unless the driver
// looks into them: epochs, where the states are a hundred times as many otherwise, for
// queues, in which so few nodes retire that no epoch ends; and the plain queues, for
// the executor.
var coarse = []rewrite.Coarse{
	{Package: module + "queues/epoch", Reads: []string{"Pin", "Unpin", "Home", "Stats", "Alloc", "Retire"}},
	{Package: module + "queues/mutex", Reads: []string{"Len"}},
}

// Packages are what an explorer is built of: each of Backends exports
// func Backends[E any]() []queues.Backend[*E], each of Reclaimers
// func Reclaimers() []limbo.Reclaimer.
type Packages struct{ Backends, Reclaimers []string }

// Build writes a program that explores packages of others and ours, and our
// reclaimer and protocols, to the file out. It is built in the module of dir. The
// result says what the explorer has not under control.
func Build(ctx context.Context, dir, out string, p Packages) (*rewrite.Result, error) {
	work, err := os.MkdirTemp("", "certify-explore-")
	if err != nil {
		return nil, fmt.Errorf("survey: build: %w", err)
	}
	defer os.RemoveAll(work)
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("survey: build: %w", err)
	}
	r, err := rewrite.Build(rewrite.Subject{
		Dir: dir, Work: work, Coarse: coarse,
		Patterns: append(append([]string{module + "soak/explore/driver"}, p.Backends...), p.Reclaimers...),
	}, main(p), out)
	if err != nil {
		return nil, fmt.Errorf("survey: build: %w", err)
	}
	return r, nil
}

// main is the main package of an explorer.
func main(p Packages) string {
	var imports, adds strings.Builder
	for i, path := range p.Backends {
		fmt.Fprintf(&imports, "\tb%d %q\n", i, path)
		fmt.Fprintf(&adds, "\ts.Backends = append(s.Backends, b%d.Backends[scenario.Item]()...)\n", i)
	}
	for i, path := range p.Reclaimers {
		fmt.Fprintf(&imports, "\tr%d %q\n", i, path)
		fmt.Fprintf(&adds, "\ts.Reclaimers = append(s.Reclaimers, r%d.Reclaimers()...)\n", i)
	}
	return fmt.Sprintf(`package main

import (
	"os"

	"%[1]ssoak/explore/driver"
	"%[1]ssoak/explore/limbo"
	"%[1]ssoak/explore/scenario"
%[2]s)

func main() {
	s := driver.Subjects{Reclaimers: []limbo.Reclaimer{limbo.Epochs()}}
%[3]s	_ = scenario.Item(0)
	os.Exit(driver.Main(s, os.Args[1:], os.Stdout, os.Stderr))
}
`, module, imports.String(), adds.String())
}

// The kinds of subjects.
const (
	Injector  = "injector"
	Deque     = "deque"
	Reclaimer = driver.Reclaimer
	Protocol  = driver.Protocol
)

// Subject is what an explorer explores.
type Subject struct{ Kind, Name string }

// Ours are the subjects beside queues that each explorer has.
func Ours() []Subject {
	all := []Subject{{Reclaimer, limbo.Epochs().Name}}
	for _, name := range protocol.Names() {
		all = append(all, Subject{Protocol, name})
	}
	return all
}

// Size bounds a survey.
type Size struct {
	Length     int `json:"length"`     // deques: operations of the owner, at most
	Each       int `json:"each"`       // injectors: operations of a thread, at most
	Word       int `json:"word"`       // reclaimers: pins and letters of a thread, at most
	Pair       int `json:"pair"`       // and of two threads together
	Executions int `json:"executions"` // of a program; past them only orders with few preemptions, as many again
	Protocol   int `json:"protocol"`   // likewise, of a program of a protocol
}

// Sizes by the time that our own subjects take, on one processor.
var (
	Quick    = Size{5, 2, 3, 5, 2_000, 5_000}    // seconds
	Standard = Size{6, 2, 4, 6, 20_000, 20_000}  // half a minute
	Long     = Size{6, 2, 4, 6, 200_000, 50_000} // minutes
)

// Args are the arguments of an explorer for one subject, or all of a kind.
func (s Size) Args(kind, name string) []string {
	executions := s.Executions
	var args []string
	switch kind {
	case Injector:
		args = []string{"-" + driver.Backend, name, "-length", "1", "-each", strconv.Itoa(s.Each)}
	case Reclaimer:
		args = []string{"-" + kind, name, "-word", strconv.Itoa(s.Word), "-pair", strconv.Itoa(s.Pair)}
	case Protocol:
		args, executions = []string{"-" + kind, name}, s.Protocol
	default:
		args = []string{"-" + driver.Backend, name, "-length", strconv.Itoa(s.Length), "-each", "0"}
	}
	return append(args, "-first", "-executions", strconv.Itoa(executions))
}

// Floors are what the programs of a subject must have met in some execution: a pass
// without it says little. They are keys of Sum.Counts.
func Floors(kind, name string) []string {
	switch {
	case kind == Reclaimer:
		return []string{"reclaimed", "reclaimed-under-a-pin", "reused"}
	case name == "parking":
		return []string{"parked", "woken", "stolen", "refused", "cancelled"}
	case name == "lifecycle":
		return []string{"completed", "cancelled", "repolled"}
	case name == "gate":
		return []string{"published", "cancelled", "superseded"}
	}
	return nil
}

// Sum is what the programs of a subject came to.
type Sum struct {
	Scenarios, Exhausted int // exhausted: every order of theirs was tried
	Within               int // preemptions up to which all others were; -1 if all are exhausted
	Executions           int
	Seconds              float64
	Counts               map[string]int // executions that met something: see Floors
	Failed               *trial.Result  // the first that did not pass, or nil
}

// ErrOutput: an explorer has printed something else.
var ErrOutput = errors.New("not the output of an explorer")

// Read sums up what an explorer printed.
func Read(out io.Reader) (Sum, error) {
	sum := Sum{Within: -1}
	d := json.NewDecoder(out)
	for {
		var r trial.Result
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

func (s *Sum) add(r trial.Result) {
	s.Scenarios++
	s.Executions += r.Executions
	s.Seconds += r.Seconds
	for what, n := range r.Counts {
		if s.Counts == nil {
			s.Counts = map[string]int{}
		}
		s.Counts[what] += n
	}
	switch {
	case !r.Passed():
		if s.Failed == nil {
			s.Failed = &r
		}
	case r.Exhausted:
		s.Exhausted++
	case s.Within < 0 || r.Within < s.Within:
		s.Within = r.Within
	}
}

// Missing are the floors that the sum does not reach.
func (s Sum) Missing(kind, name string) (all []string) {
	for _, what := range Floors(kind, name) {
		if s.Counts[what] == 0 {
			all = append(all, what)
		}
	}
	return all
}

// Uncontrolled are the places of a build that are not under control and that
// subjects of a kind have: protocols are of the executor, nothing else is.
func Uncontrolled(r *rewrite.Result, kind string) (all []rewrite.Site) {
	for _, s := range r.Sites {
		if ours := strings.HasPrefix(s.Package, module+"executor"); ours == (kind == Protocol) {
			all = append(all, s)
		}
	}
	return all
}
