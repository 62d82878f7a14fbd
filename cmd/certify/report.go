package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/exactlyonce/certify/reports"
	"github.com/exactlyonce/certify/reports/compare"
	"github.com/exactlyonce/certify/reports/measured"
)

type reportFlags struct {
	out, png, baseline, history string
	bench                       []string
}

func reportCommand() *cobra.Command {
	var f reportFlags
	c := &cobra.Command{
		Use:   "report DIR",
		Short: "Make the reports and the certificate of a run again, from its evidence",
		Long: `Report makes what follows from the evidence of a run again, byte for byte. With
files of benchmarks, an earlier run or a history of many, it adds what these show
to report.html, report.json and summary.md; it judges nothing by them. With --json
it prints report.json, which docs/report.schema.json describes.`,
		Example: `  certify report certify-runs/20060102-150405
  certify report DIR --bench bench.txt --baseline earlier/bench.txt
  certify report DIR --baseline certify-runs/20060101-120000 --png charts
  certify report DIR --history history.jsonl`,
		Args: dirArg,
		RunE: func(c *cobra.Command, args []string) error { return f.report(c, args[0]) },
	}
	fs := c.Flags()
	fs.StringVar(&f.out, "out", "", "directory to write to, instead of the run's")
	fs.StringArrayVar(&f.bench, "bench", nil, "file of benchmarks to show, such as certify bench writes; may be given several times")
	fs.StringVar(&f.baseline, "baseline", "", "file of benchmarks, or directory of an earlier run, to compare with")
	fs.StringVar(&f.history, "history", "", "file to add the run to, with what earlier runs measured: it shows the figures over the commits, and where they changed")
	fs.StringVar(&f.png, "png", "", "directory to write each chart to, as an image")
	return c
}

func (f *reportFlags) report(c *cobra.Command, path string) error {
	if err := f.check(path); err != nil {
		return err
	}
	r, err := reports.Load(path)
	if err != nil {
		return runError("report", path, err)
	}
	more, err := f.more(r)
	if err != nil {
		return err
	}
	files, err := derive(r, more)
	if err != nil {
		return runError("report", path, err)
	}
	out := f.out
	if out == "" {
		out, err = path, intoRun(path, files)
	} else {
		err = intoDir(out, files)
	}
	if err != nil {
		return err
	}
	images, err := f.images(append(r.Sections(), more...))
	if err != nil {
		return err
	}
	if asJSON(c) {
		_, err = c.OutOrStdout().Write(files[documentFile])
		return err
	}
	for _, d := range derived {
		fmt.Fprintf(c.OutOrStdout(), "%s: %s\n", filepath.Join(out, d.name), d.about)
	}
	for _, i := range images {
		fmt.Fprintf(c.OutOrStdout(), "%s: %s\n", i.path, i.title)
	}
	return nil
}

// check refuses what would be compared with itself, and images among evidence.
func (f *reportFlags) check(path string) error {
	if f.png != "" && sameFile(f.png, path) {
		return usage("--png %s: it is the directory of the run, want another", f.png)
	}
	for _, now := range append([]string{path}, f.bench...) {
		if f.baseline != "" && sameFile(f.baseline, now) {
			return usage("--baseline %s: it would be compared with itself", f.baseline)
		}
	}
	return nil
}

func sameFile(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(infoA, infoB)
}

// more are the sections of files beside the evidence.
func (f *reportFlags) more(r *reports.Run) ([]reports.Section, error) {
	in := measured.Input{}
	for _, file := range f.bench {
		sets, err := compare.ReadFiles("now=" + file)
		if err != nil {
			return nil, usage("--bench %s: %w", file, err)
		}
		in.Benchmarks = append(in.Benchmarks, sets...)
	}
	if f.baseline != "" {
		var err error
		if in.Before, err = before(f.baseline); err != nil {
			return nil, usage("--baseline %s: %w", f.baseline, err)
		}
		if in.Repetitions, err = repetitions("now", r); err != nil {
			return nil, err
		}
	}
	more, err := measured.Sections(in)
	if err != nil {
		return nil, usageError{err}
	}
	if f.history != "" {
		over, err := overCommits(f.history, r, f.bench)
		return append(more, over...), err
	}
	return more, nil
}

// before reads a file of benchmarks, or makes one of a run.
func before(path string) ([]*compare.Set, error) {
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return compare.ReadFiles("before=" + path)
	}
	r, err := reports.Load(path)
	if err != nil {
		return nil, err
	}
	return repetitions("before", r)
}

// repetitions are those of r as benchmarks, none where it has none.
func repetitions(name string, r *reports.Run) ([]*compare.Set, error) {
	text, err := benchText(r)
	if err != nil || len(r.Records) == 0 {
		return nil, err
	}
	set, err := compare.Read(name, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	return []*compare.Set{set}, nil
}
