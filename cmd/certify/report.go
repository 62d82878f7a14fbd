package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/exactlyonce/certify/reports"
	"github.com/exactlyonce/certify/reports/certificate"
	"github.com/exactlyonce/certify/reports/compare"
	"github.com/exactlyonce/certify/reports/document"
	"github.com/exactlyonce/certify/reports/html"
	"github.com/exactlyonce/certify/reports/measured"
	"github.com/exactlyonce/certify/reports/record"
	"github.com/exactlyonce/certify/reports/rundir"
)

// derived are the files that follow from a run directory's evidence: whenever
// and wherever they are made again, they are the same bytes.
//
// What the evidence does not hold, of which more is made, is in them only when it
// is given again.
var derived = []struct {
	name, about string
	make        func(r *reports.Run, more []reports.Section) ([]byte, error)
}{
	{reportFile, "the report, one page that needs nothing else", func(r *reports.Run, more []reports.Section) ([]byte, error) {
		return written(func(w io.Writer) error { return html.Write(w, r, more...) })
	}},
	{documentFile, "the same for programs, see docs/report.schema.json", func(r *reports.Run, more []reports.Section) ([]byte, error) {
		return written(func(w io.Writer) error { return document.Write(w, r, more...) })
	}},
	{"bench.txt", "the repetitions in the Go benchmark format", func(r *reports.Run, _ []reports.Section) ([]byte, error) { return benchText(r) }},
	{"junit.xml", "a test case a key, for CI", func(r *reports.Run, _ []reports.Section) ([]byte, error) { return written(r.JUnit) }},
	{"summary.md", "for a GitHub step summary", func(r *reports.Run, more []reports.Section) ([]byte, error) {
		return written(func(w io.Writer) error { return r.Markdown(w, measured.Short(more)...) })
	}},
	{certificateFile, "the verdict with what rechecks it", func(r *reports.Run, _ []reports.Section) ([]byte, error) { return certificateOf(r) }},
}

const (
	reportFile      = "report.html"
	documentFile    = "report.json"
	certificateFile = "certificate.json"
)

type reportFlags struct {
	out, png, baseline string
	bench              []string
}

func reportCommand() *cobra.Command {
	var f reportFlags
	c := &cobra.Command{
		Use:   "report DIR",
		Short: "Make the reports and the certificate of a run again, from its evidence",
		Long: `Report makes what follows from the evidence of a run again, byte for byte. With
files of benchmarks, or with an earlier run, it adds what these show to
report.html, report.json and summary.md; it judges nothing by them. With --json
it prints report.json, which docs/report.schema.json describes.`,
		Example: `  certify report certify-runs/20060102-150405
  certify report DIR --bench bench.txt --baseline earlier/bench.txt
  certify report DIR --baseline certify-runs/20060101-120000 --png charts`,
		Args: dirArg,
		RunE: func(c *cobra.Command, args []string) error { return f.report(c, args[0]) },
	}
	fs := c.Flags()
	fs.StringVar(&f.out, "out", "", "directory to write to, instead of the run's")
	fs.StringArrayVar(&f.bench, "bench", nil, "file of benchmarks to show, such as certify bench writes; may be given several times")
	fs.StringVar(&f.baseline, "baseline", "", "file of benchmarks, or directory of an earlier run, to compare with")
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
	files, err := deriveFrom(r, more)
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

// derive makes all derived files of the run in path.
func derive(path string) (map[string][]byte, error) {
	r, err := reports.Load(path)
	if err != nil {
		return nil, err
	}
	return deriveFrom(r, nil)
}

func deriveFrom(r *reports.Run, more []reports.Section) (_ map[string][]byte, err error) {
	files := map[string][]byte{}
	for _, d := range derived {
		if files[d.name], err = d.make(r, more); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// writeDerived is for a run directory that is open.
func writeDerived(dir *rundir.Dir) error {
	files, err := derive(dir.Path(""))
	if err != nil {
		return err
	}
	return writeFiles(dir, files)
}

func writeFiles(dir *rundir.Dir, files map[string][]byte) error {
	for _, d := range derived {
		if err := dir.WriteFile(d.name, files[d.name]); err != nil {
			return err
		}
	}
	return nil
}

func intoRun(path string, files map[string][]byte) error {
	dir, err := open(path)
	if err != nil {
		return err
	}
	defer dir.Close()
	return writeFiles(dir, files)
}

func intoDir(out string, files map[string][]byte) error {
	if err := os.MkdirAll(out, 0o755); err != nil {
		return usage("--out: %w", err)
	}
	for _, d := range derived {
		if err := os.WriteFile(filepath.Join(out, d.name), files[d.name], 0o644); err != nil {
			return err
		}
	}
	return nil
}

// runError makes a usage error of a directory that is not one of a run.
func runError(op, path string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return usage("%s %s: not the directory of a run: %w", op, path, err)
	}
	return usageError{err}
}

func written(write func(io.Writer) error) ([]byte, error) {
	var b bytes.Buffer
	err := write(&b)
	return b.Bytes(), err
}

func benchText(r *reports.Run) ([]byte, error) {
	var cfg []record.ConfigLine
	for _, key := range []string{"goos", "goarch", "cpu", "go", "commit"} {
		cfg = append(cfg, record.ConfigLine{Key: key, Value: r.Fact(key)})
	}
	return written(func(w io.Writer) error { return record.WriteBench(w, cfg, r.Records) })
}

func certificateOf(r *reports.Run) ([]byte, error) {
	c, err := certificate.Issue(r.Dir)
	if err != nil {
		return nil, err
	}
	if data, err := readMost(filepath.Join(r.Dir, certificateFile), certificate.MaxBytes); err == nil {
		if old, err := certificate.Decode(data); err == nil {
			c.Adopt(old)
		}
	}
	return c.Encode()
}
