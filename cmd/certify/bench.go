package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/exactlyonce/certify/bench"
	"github.com/exactlyonce/certify/bench/sitting"
	"github.com/exactlyonce/certify/soak/machine"
)

type benchFlags struct {
	pattern, out string
	list         bool
	plan         sitting.Plan
}

func benchCommand() *cobra.Command {
	var f benchFlags
	c := &cobra.Command{
		Use:   "bench",
		Short: "The benchmarks, arms interleaved, in the Go benchmark format",
		Long: `Bench measures queues and executors in one sitting: each round has a window of
every arm, in an order shuffled anew. Windows that the machine disturbed, by a
rule that knows nothing of their results, are measured again. The result goes to
standard output, or to a file, for certify compare or benchstat; how much the
same arm differs from its twin is told on standard error.`,
		Example: `  certify bench --select 'Pair|Own' --out now.txt
  certify bench --select Tree/pool=certify --samples 20`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return f.bench(c) },
	}
	fs := c.Flags()
	fs.StringVar(&f.pattern, "select", "", "only cases whose name matches this regular expression")
	fs.BoolVar(&f.list, "list", false, "print the names of the cases, and measure nothing")
	fs.IntVar(&f.plan.Samples, "samples", 10, "samples of each case")
	fs.DurationVar(&f.plan.Window, "window", 50*time.Millisecond, "how long a sample takes")
	fs.DurationVar(&f.plan.Stall, "stall", time.Minute, "a window that takes longer is a failure")
	fs.BoolVar(&f.plan.AnyNoise, "any-noise", false, "count windows that the machine disturbed, too")
	fs.Uint64Var(&f.plan.Seed, "seed", 0, "of the order; 0 is a new one")
	fs.StringVar(&f.out, "out", "", "file to write to, instead of standard output")
	return c
}

func (f *benchFlags) bench(c *cobra.Command) error {
	if f.plan.Samples < 1 || f.plan.Window <= 0 || f.plan.Stall <= 0 {
		return usage("--samples %d, --window %v, --stall %v: want positive values", f.plan.Samples, f.plan.Window, f.plan.Stall)
	}
	if f.plan.Seed == 0 {
		f.plan.Seed = newSeed()
	}
	cases, err := bench.Select(bench.Cases(), f.pattern)
	if err != nil {
		return usage("--select: %w", err)
	}
	if f.list {
		for _, k := range cases {
			fmt.Fprintln(c.OutOrStdout(), k.Name)
		}
		return nil
	}
	u := newUI(c)
	u.say("certify: %s, finding their sizes", plural(len(cases), "case"))
	s, err := sitting.New(cases, f.plan)
	if err != nil {
		return err
	}
	report, err := f.measure(c.Context(), u, s)
	err = errors.Join(err, s.Close())
	if err != nil && !errors.Is(err, sitting.ErrNoise) {
		return err
	}
	if writing := f.write(c, report); writing != nil {
		return writing
	}
	u.noise(report)
	if err != nil {
		u.say("certify: %v", err)
		return verdictError{3}
	}
	return nil
}

// measure runs the sitting, and tells how far it is every few seconds.
func (f *benchFlags) measure(ctx context.Context, u *ui, s *sitting.Sitting) (*sitting.Report, error) {
	began, last, done := time.Now(), time.Now(), 0
	u.say("certify: %s of about %v, seed %d", plural(s.Windows(), "window"), f.plan.Window, f.plan.Seed)
	return s.Run(ctx, func(m sitting.Sample) {
		if done++; time.Since(last) < 5*time.Second {
			return
		}
		last = time.Now()
		part := float64(done) / float64(max(s.Windows(), done+1))
		left := time.Duration(float64(time.Since(began)) * (1 - part) / part)
		u.say("certify: round %d of %d, about %v left", m.Round, f.plan.Samples, left.Round(time.Second))
	})
}

func (f *benchFlags) write(c *cobra.Command, r *sitting.Report) error {
	facts := machine.Read(c.Context())
	var b bytes.Buffer
	err := r.Write(&b, map[string]string{
		"goos": facts.GOOS, "goarch": facts.GOARCH, "cpu": facts.CPU, "go": facts.Go, "commit": facts.Commit,
	})
	if err != nil {
		return err
	}
	if f.out == "" {
		_, err = c.OutOrStdout().Write(b.Bytes())
		return err
	}
	if err := os.WriteFile(f.out, b.Bytes(), 0o644); err != nil {
		return usage("--out: %w", err)
	}
	return nil
}

// noise tells what a difference must exceed to mean anything.
func (u *ui) noise(r *sitting.Report) {
	u.say("certify: %d of %d windows were disturbed and measured again", r.Disturbed, len(r.Samples))
	var texts []string
	for _, unit := range []string{"ns/op", "cpu-ns/op"} {
		var rates []float64
		for _, n := range r.Noise() {
			if n.Unit == unit {
				rates = append(rates, n.Rate)
			}
		}
		if len(rates) > 0 {
			texts = append(texts, fmt.Sprintf("%.1f %% in %s", 100*slices.Max(rates), unit))
		}
	}
	if len(texts) > 0 {
		u.say("certify: the same arm differed from its twin by up to %s", strings.Join(texts, ", "))
	}
}
