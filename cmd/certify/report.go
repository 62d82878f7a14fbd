package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/exactlyonce/certify/reports"
	"github.com/exactlyonce/certify/reports/certificate"
	"github.com/exactlyonce/certify/reports/html"
	"github.com/exactlyonce/certify/reports/record"
	"github.com/exactlyonce/certify/reports/rundir"
	"github.com/exactlyonce/certify/soak/machine"
)

// derived are the files that follow from a run directory's evidence: whenever
// and wherever they are made again, they are the same bytes.
var derived = []struct {
	name, about string
	make        func(r *reports.Run, c rundir.Contents) ([]byte, error)
}{
	{reportFile, "the report, one page that needs nothing else", func(r *reports.Run, _ rundir.Contents) ([]byte, error) {
		return written(func(w io.Writer) error { return html.Write(w, r) })
	}},
	{"bench.txt", "the repetitions in the Go benchmark format", benchText},
	{"junit.xml", "a test case a key, for CI", func(r *reports.Run, _ rundir.Contents) ([]byte, error) { return written(r.JUnit) }},
	{"summary.md", "for a GitHub step summary", func(r *reports.Run, _ rundir.Contents) ([]byte, error) { return written(r.Markdown) }},
	{certificateFile, "the verdict with what rechecks it", certificateOf},
}

const (
	reportFile      = "report.html"
	certificateFile = "certificate.json"
)

func reportCommand() *cobra.Command {
	var out string
	c := &cobra.Command{
		Use:   "report DIR",
		Short: "Make the reports and the certificate of a run again, from its evidence",
		Args:  dirArg,
		RunE:  func(c *cobra.Command, args []string) error { return report(c, args[0], out) },
	}
	c.Flags().StringVar(&out, "out", "", "directory to write to, instead of the run's")
	return c
}

func report(c *cobra.Command, path, out string) error {
	files, err := derive(path)
	switch {
	case err != nil:
		return runError("report", path, err)
	case out == "":
		out, err = path, intoRun(path)
	default:
		err = intoDir(out, files)
	}
	if err != nil {
		return err
	}
	for _, d := range derived {
		fmt.Fprintf(c.OutOrStdout(), "%s: %s\n", filepath.Join(out, d.name), d.about)
	}
	return nil
}

// derive makes all derived files of the run in path.
func derive(path string) (map[string][]byte, error) {
	r, err := reports.Load(path)
	if err != nil {
		return nil, err
	}
	contents, err := rundir.Read(path)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, d := range derived {
		if files[d.name], err = d.make(r, contents); err != nil {
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
	for _, d := range derived {
		if err := dir.WriteFile(d.name, files[d.name]); err != nil {
			return err
		}
	}
	return nil
}

func intoRun(path string) error {
	dir, err := open(path)
	if err != nil {
		return err
	}
	defer dir.Close()
	return writeDerived(dir)
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

func benchText(_ *reports.Run, contents rundir.Contents) ([]byte, error) {
	var facts machine.Facts
	if err := json.Unmarshal(contents.Env, &facts); err != nil {
		return nil, fmt.Errorf("decode environment: %w", err)
	}
	cfg := []record.ConfigLine{
		{Key: "goos", Value: facts.GOOS}, {Key: "goarch", Value: facts.GOARCH}, {Key: "cpu", Value: facts.CPU},
		{Key: "go", Value: facts.Go}, {Key: "commit", Value: facts.Commit},
	}
	var b bytes.Buffer
	err := record.WriteBench(&b, cfg, contents.Records)
	return b.Bytes(), err
}

func certificateOf(r *reports.Run, _ rundir.Contents) ([]byte, error) {
	c, err := certificate.Issue(r.Dir)
	if err != nil {
		return nil, err
	}
	return c.Encode()
}
