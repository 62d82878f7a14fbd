package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/exactlyonce/certify/reports/compare"
)

type compareFlags struct {
	options      compare.Options
	csv, gate    bool
	threshold    float64
	alpha        float64
	allowMissing bool
}

func compareCommand() *cobra.Command {
	var f compareFlags
	c := &cobra.Command{
		Use:   "compare OLD NEW...",
		Short: "benchstat's table of two or more files of results, and a gate for CI",
		Long: `Compare reads results in the Go benchmark format, plain or inside go test -json,
and prints a table with a verdict a row. A file is PATH or LABEL=PATH, and - is
standard input. With --csv it prints what benchstat -format csv prints, byte for
byte.

With --gate the exit code is 1 if there is a regression: a change for the worse
of at least the threshold, beyond the noise of each arm against itself, and
significant after Holm's correction for all rows; 3 if the data could not have
shown one; else 0. Results of arms that ran one after the other are no ground
for a gate: interleave them.`,
		Example: `  certify compare old.txt new.txt
  certify compare --gate --threshold 0.05 old.txt new.txt
  certify compare --col /deque bench.txt      # the columns are values of a name's key`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("%s: want a file of results, or several", c.CommandPath())
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return f.compare(c, args) },
	}
	f.define(c)
	return c
}

func (f *compareFlags) define(c *cobra.Command) {
	fs := c.Flags()
	fs.BoolVar(&f.csv, "csv", false, "print what benchstat -format csv prints")
	fs.BoolVar(&f.gate, "gate", false, "exit with 1 on a regression, with 3 when the data cannot show one")
	fs.Float64Var(&f.threshold, "threshold", 0.05, "the least change that the gate counts: 0.05 is 5 %")
	fs.Float64Var(&f.alpha, "alpha", 0.05, "chance of a false regression, in all rows together")
	fs.BoolVar(&f.allowMissing, "allow-missing", false, "let benchmarks of OLD be missing in NEW")
	fs.StringVar(&f.options.Table, "table", "", "a table a value of this projection (default .config)")
	fs.StringVar(&f.options.Row, "row", "", "a row a value of this projection (default .fullname)")
	fs.StringVar(&f.options.Col, "col", "", "a column a value of this projection (default .file)")
	fs.StringVar(&f.options.Ignore, "ignore", "", "keys to leave out")
	fs.StringVar(&f.options.Filter, "filter", "", "which results, in benchstat's syntax")
	fs.BoolVar(&f.options.IgnoreCPU, "ignore-cpu", false, "compare results of different machines all the same")
}

func (f *compareFlags) compare(c *cobra.Command, args []string) error {
	if asJSON(c) && (f.csv || !f.gate) {
		return usage("--json: it is for the decision of --gate; for tables there is --csv")
	}
	sets, err := readSets(c, args)
	if err != nil {
		return usageError{err}
	}
	result, err := compare.Compare(f.options, sets...)
	if err != nil {
		return usageError{err}
	}
	switch {
	case f.csv:
		err = result.WriteCSV(c.OutOrStdout(), c.ErrOrStderr())
	case !asJSON(c):
		err = result.WriteText(c.OutOrStdout())
	}
	if err != nil || !f.gate {
		return err
	}
	return f.decide(c, result)
}

// readSets reads the files in their order. Standard input can be one of them.
func readSets(c *cobra.Command, args []string) (all []*compare.Set, err error) {
	var files []string
	for _, a := range args {
		if a != "-" {
			files = append(files, a)
		}
	}
	var named []*compare.Set
	if len(files) > 0 {
		if named, err = compare.ReadFiles(files...); err != nil {
			return nil, err
		}
	}
	for _, a := range args {
		if a != "-" {
			all, named = append(all, named[0]), named[1:]
			continue
		}
		set, err := compare.Read("-", c.InOrStdin())
		if err != nil {
			return nil, err
		}
		all = append(all, set)
	}
	return all, nil
}

func (f *compareFlags) decide(c *cobra.Command, result *compare.Result) error {
	decision, err := compare.Gate(result, compare.GateOptions{
		Threshold: f.threshold, Alpha: f.alpha, Floor: compare.Noise(result), AllowMissing: f.allowMissing,
	})
	if err != nil {
		return usageError{err}
	}
	if asJSON(c) {
		err = printJSON(c.OutOrStdout(), decision)
	} else {
		_, err = fmt.Fprintf(c.OutOrStdout(), "\n%s\n", harmless(fmt.Sprint(decision)))
	}
	if err != nil {
		return err
	}
	switch decision.Outcome {
	case compare.Pass:
		return nil
	case compare.Regression:
		return verdictError{1}
	}
	return verdictError{3}
}
