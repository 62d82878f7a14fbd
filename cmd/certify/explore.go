package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/queues/catalog"
	"github.com/exactlyonce/certify/reports/record"
	"github.com/exactlyonce/certify/soak/campaign"
	"github.com/exactlyonce/certify/soak/explore/rewrite"
	"github.com/exactlyonce/certify/soak/explore/survey"
)

type exploreFlags struct {
	injectors, deques, reclaimers, protocols []string
	imported                                 string
	size                                     survey.Size
	scenario, replay                         string
	sites                                    bool
}

func exploreCommand() *cobra.Command {
	var f exploreFlags
	c := &cobra.Command{
		Use:   "explore",
		Short: "All schedules of all small programs of a queue, its source as it is",
		Long: `Explore builds the back ends with a scheduler of its own underneath, which runs one
goroutine at a time and chooses before each access who goes on: every order of
every small program, not those that a machine happens to take. Their files are not
touched. Each execution is judged: every item once, and some order of the calls,
in which time runs forward, that a queue allows.

The reclaimer of our queues is held to its own law, that nothing is reclaimed which a
pinned reader holds, and our protocols (parking, lifecycle, gate) to theirs. Without a
flag that names one of these, or a queue, everything of ours is explored.

What is clean is so within the bounds that are printed, and for sequentially
consistent atomics, which Go's are; plain accesses are for the race detector.`,
		Example: `  certify explore                                   # all of ours
  certify explore --deque chaselev --length 7
  certify explore --import example.com/their/queues
  certify explore --deque chaselev --scenario 'PPpp|1|1'
  certify explore --reclaimer epoch --word 4 --pair 7
  certify explore --protocol parking --executions 1000000`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return f.explore(c) },
	}
	fs := c.Flags()
	fs.StringSliceVar(&f.injectors, "injector", []string{"all"}, "injectors, all, or none")
	fs.StringSliceVar(&f.deques, "deque", []string{"all"}, "deques, all, or none")
	fs.StringSliceVar(&f.reclaimers, "reclaimer", []string{"all"}, "reclaimers, all, or none")
	fs.StringSliceVar(&f.protocols, "protocol", []string{"all"}, "protocols, all, or none")
	fs.StringVar(&f.imported, "import", "", "package that exports Backends(), in place of ours")
	fs.IntVar(&f.size.Length, "length", survey.Standard.Length, "operations of a deque's owner, at most")
	fs.IntVar(&f.size.Each, "each", survey.Standard.Each, "operations of each thread of an injector, at most")
	fs.IntVar(&f.size.Word, "word", survey.Standard.Word, "pins and letters of a thread of a reclaimer, at most")
	fs.IntVar(&f.size.Pair, "pair", survey.Standard.Pair, "pins and letters of two threads of a reclaimer together, at most")
	fs.IntVar(&f.size.Executions, "executions", survey.Standard.Executions, "executions of a program; past them only orders with few preemptions, as many again")
	fs.StringVar(&f.scenario, "scenario", "", "only this program, such as PPpp|1|1 or ED|ED")
	fs.StringVar(&f.replay, "replay", "", "only this schedule of the program")
	fs.BoolVar(&f.sites, "sites", false, "list what is not under control")
	return c
}

// explored is what came of one subject.
type explored struct {
	Kind       string         `json:"kind"`
	Name       string         `json:"name"`
	Verdict    record.Verdict `json:"verdict"`
	Scenarios  int            `json:"scenarios"`
	Exhausted  int            `json:"exhausted"`
	Within     int            `json:"withinPreemptions"` // of the others; -1 if there are none
	Executions int            `json:"executions"`
	Seconds    float64        `json:"seconds"`
	Failure    string         `json:"failure"`
	Trace      string         `json:"trace"`
	Replay     string         `json:"replay"`
}

func (f *exploreFlags) explore(c *cobra.Command) error {
	if err := f.check(c); err != nil {
		return err
	}
	subjects, err := f.subjects(c)
	if err != nil {
		return err
	}
	ctx, ui := c.Context(), newUI(c)
	if err := campaign.Check(ctx, false); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "certify-explore-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	bin := filepath.Join(work, "explorer.exe")
	pkg := catalogPackage
	if f.imported != "" {
		pkg = f.imported
		ui.say("certify: --import runs the code of %s on this machine, as go test would", pkg)
	}
	ui.say("certify: building %s with the scheduler underneath", pkg)
	built, err := survey.Build(ctx, ".", bin, survey.Packages{Backends: []string{pkg}})
	if err != nil {
		return err
	}
	f.saySites(ui, built, subjects)
	return f.each(ctx, c, ui, bin, subjects)
}

// catalogPackage has the back ends of ours.
const catalogPackage = "github.com/exactlyonce/certify/queues/catalog"

// saySites says what of the subjects is not under control.
func (f *exploreFlags) saySites(ui *ui, built *rewrite.Result, subjects []survey.Subject) {
	var all []rewrite.Site
	is := func(s survey.Subject) bool { return s.Kind == survey.Protocol }
	if slices.ContainsFunc(subjects, func(s survey.Subject) bool { return !is(s) }) {
		all = survey.Uncontrolled(built, "")
	}
	if slices.ContainsFunc(subjects, is) {
		all = append(all, survey.Uncontrolled(built, survey.Protocol)...)
	}
	ui.say("certify: not under control: %s", sitesText(all))
	if f.sites {
		for _, s := range all {
			ui.say("certify:   %s: %s (%s)", s.At, s.Kind, s.Package)
		}
	}
}

func (f *exploreFlags) check(c *cobra.Command) error {
	for _, flag := range []string{survey.Injector, survey.Deque, survey.Reclaimer, survey.Protocol} {
		if f.imported != "" && c.Flags().Changed(flag) {
			return usage("explore: --import has its own back ends, --%s is for ours", flag)
		}
	}
	if f.replay != "" && f.scenario == "" {
		return usage("explore: --replay needs the --scenario that it is of")
	}
	if f.size.Length < 1 || f.size.Each < 1 || f.size.Executions < 1 {
		return usage("explore: --length %d, --each %d, --executions %d: want at least 1", f.size.Length, f.size.Each, f.size.Executions)
	}
	if f.size.Word < 2 || f.size.Pair < 2 {
		return usage("explore: --word %d, --pair %d: want at least 2, a pin and a letter", f.size.Word, f.size.Pair)
	}
	if f.size.Protocol = survey.Standard.Protocol; c.Flags().Changed("executions") {
		f.size.Protocol = f.size.Executions
	}
	return nil
}

// sitesText sums up what the explorer does not control.
func sitesText(all []rewrite.Site) string {
	kinds := rewrite.Kinds(all)
	if len(kinds) == 0 {
		return "nothing"
	}
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(kinds)) {
		parts = append(parts, fmt.Sprintf("%d %s", kinds[k], k))
	}
	return strings.Join(parts, ", ")
}

// subjects are those to be explored; one without a name is all of its kind.
func (f *exploreFlags) subjects(c *cobra.Command) (all []survey.Subject, err error) {
	if f.imported != "" {
		return []survey.Subject{{Kind: survey.Injector}, {Kind: survey.Deque}}, nil
	}
	known := map[string][]string{}
	for _, b := range catalog.Backends[executor.Task]() {
		known[b.Kind().String()] = append(known[b.Kind().String()], b.Name)
	}
	for _, s := range survey.Ours() {
		known[s.Kind] = append(known[s.Kind], s.Name)
	}
	for _, row := range f.chosen(c) {
		names := row.names
		if slices.Equal(names, []string{"all"}) {
			names = known[row.kind]
		}
		for _, name := range names {
			switch {
			case slices.Contains(known[row.kind], name):
				all = append(all, survey.Subject{Kind: row.kind, Name: name})
			case name != "all" && name != "none":
				return nil, usage("--%s: no %s %q; there are: %s, all, or none", row.kind, row.kind, name, strings.Join(slices.Sorted(slices.Values(known[row.kind])), ", "))
			}
		}
	}
	return all, nil
}

// chosen are the names by kind. Queues, and what else is ours, are left out if only
// the other was named; a program that is named is of a queue, unless it is said of
// what.
func (f *exploreFlags) chosen(c *cobra.Command) []struct {
	kind  string
	names []string
} {
	named := func(flag string) bool { return c.Flags().Changed(flag) }
	queues, others := named(survey.Injector) || named(survey.Deque), named(survey.Reclaimer) || named(survey.Protocol)
	all := []struct {
		kind  string
		names []string
	}{{survey.Injector, f.injectors}, {survey.Deque, f.deques}, {survey.Reclaimer, f.reclaimers}, {survey.Protocol, f.protocols}}
	for i := range all {
		left := others && !queues
		if i >= 2 {
			left = queues || others || f.scenario != ""
		}
		if left && !named(all[i].kind) {
			all[i].names = nil
		}
	}
	return all
}

// each explores one subject after the other.
func (f *exploreFlags) each(ctx context.Context, c *cobra.Command, ui *ui, bin string, subjects []survey.Subject) error {
	results := []explored{}
	worst := record.Certified
	for _, b := range subjects {
		args := f.size.Args(b.Kind, b.Name)
		if f.scenario != "" {
			args = append(args, "-scenario", f.scenario, "-replay", f.replay)
		}
		var out, words bytes.Buffer
		cmd := exec.CommandContext(ctx, bin, args...)
		cmd.Stdout, cmd.Stderr = &out, &words
		runErr := cmd.Run()
		if ctx.Err() != nil {
			return campaign.ErrInterrupted
		}
		sum, err := survey.Read(&out)
		if err != nil || sum.Failed == nil && runErr != nil {
			return usage("explore: %s: %v %s", bin, errors.Join(err, runErr), strings.TrimSpace(words.String()))
		}
		if sum.Scenarios == 0 {
			continue // a program of the other kind, or none of this kind
		}
		r := resultOf(b, sum, f)
		worst = max(worst, r.Verdict)
		results = append(results, r)
		ui.say("certify: %s %s: %s in %.1f s", r.Kind, r.Name, r.Verdict, r.Seconds)
	}
	if len(results) == 0 {
		return usage("explore: nothing to explore: nothing has a program like that")
	}
	return printExplored(c, results, worst)
}

func resultOf(b survey.Subject, sum survey.Sum, f *exploreFlags) explored {
	name := b.Name
	if name == "" {
		name = "all of " + f.imported
	}
	r := explored{
		Kind: b.Kind, Name: name, Verdict: record.Certified, Scenarios: sum.Scenarios, Exhausted: sum.Exhausted,
		Within: sum.Within, Executions: sum.Executions, Seconds: sum.Seconds,
	}
	if sum.Failed == nil {
		return r
	}
	r.Verdict, r.Failure, r.Trace = record.Failed, sum.Failed.Failure+sum.Failed.Invalid, sum.Failed.Trace
	if r.Name = sum.Failed.Backend; sum.Failed.Invalid != "" {
		r.Verdict = record.Inconclusive
	}
	smallest := sum.Failed.Smallest
	if smallest == "" {
		smallest = sum.Failed.Scenario
	}
	r.Replay = fmt.Sprintf("certify explore --%s %s --scenario '%s' --replay %s", r.Kind, r.Name, smallest, sum.Failed.Schedule)
	if f.imported != "" {
		r.Replay = fmt.Sprintf("certify explore --import %s --scenario '%s' --replay %s", f.imported, smallest, sum.Failed.Schedule)
	}
	return r
}

func printExplored(c *cobra.Command, results []explored, worst record.Verdict) error {
	if asJSON(c) {
		if err := printJSON(c.OutOrStdout(), map[string]any{"verdict": worst, "exit": worst.ExitCode(), "backends": results}); err != nil {
			return err
		}
	} else {
		w := c.OutOrStdout()
		fmt.Fprintln(w, worst)
		for _, r := range results {
			r.print(w)
		}
	}
	if code := worst.ExitCode(); code != 0 {
		return verdictError{code}
	}
	return nil
}

func (r explored) print(w io.Writer) {
	bounds := "every order of each"
	if r.Exhausted < r.Scenarios && r.Within >= 0 {
		bounds = fmt.Sprintf("every order of %d, of the others those with up to %d preemptions", r.Exhausted, r.Within)
	}
	fmt.Fprintf(w, "  %s %s: %s, %s executions, %s\n", r.Kind, r.Name, plural(r.Scenarios, "program"), humanize.Comma(int64(r.Executions)), bounds)
	if r.Verdict == record.Certified {
		return
	}
	fmt.Fprintf(w, "\n%s %s %s: %s\n%s\n  replay: %s\n\n", r.Verdict, r.Kind, r.Name, r.Failure, r.Trace, r.Replay)
}
