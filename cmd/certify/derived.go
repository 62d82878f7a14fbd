package main

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/exactlyonce/certify/reports"
	"github.com/exactlyonce/certify/reports/certificate"
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

// derive makes all derived files of the run, with more in those that hold it.
func derive(r *reports.Run, more []reports.Section) (_ map[string][]byte, err error) {
	files := map[string][]byte{}
	for _, d := range derived {
		if files[d.name], err = d.make(r, more); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// writeDerived is for a run directory that is open, and what was loaded from it.
func writeDerived(dir *rundir.Dir, r *reports.Run) error {
	files, err := derive(r, nil)
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
	c, err := certificate.Issue(r)
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
