package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/exactlyonce/certify/soak/campaign"
	"github.com/exactlyonce/certify/soak/guard"
	"github.com/exactlyonce/certify/soak/machine"
)

// diagnosis is one thing that a run needs, or is better with.
type diagnosis struct {
	What   string `json:"what"`
	Status string `json:"status"` // ok, warning, missing
	Seen   string `json:"seen"`
	err    error  // why it is missing
}

const (
	statusOK      = "ok"
	statusWarning = "warning" // a run works, but says less
	statusMissing = "missing" // a run does not work
)

func doctorCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Can this machine do it: compiler, race detector, memory, disk",
		Args:  noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			all := diagnose(c.Context())
			if c.Context().Err() != nil {
				return campaign.ErrInterrupted
			}
			if asJSON(c) {
				if err := printJSON(c.OutOrStdout(), all); err != nil {
					return err
				}
			} else {
				printDiagnoses(c.OutOrStdout(), all)
			}
			for _, d := range all {
				if d.Status == statusMissing {
					return fmt.Errorf("doctor: %s: %w", d.What, d.err)
				}
			}
			return nil
		},
	}
}

func printDiagnoses(w io.Writer, all []diagnosis) {
	for _, d := range all {
		fmt.Fprintf(w, "%-8s %-14s %s\n", d.Status, d.What, strings.ReplaceAll(d.Seen, "\n", "\n"+strings.Repeat(" ", 24)))
	}
}

func missing(what string, err error) diagnosis {
	return diagnosis{What: what, Status: statusMissing, Seen: err.Error(), err: err}
}

func diagnose(ctx context.Context) []diagnosis {
	return []diagnosis{
		machineFacts(ctx), goCommand(ctx), runner(ctx), raceDetector(ctx), processors(), memoryToWatch(), disk(), source(ctx),
	}
}

func machineFacts(ctx context.Context) diagnosis {
	f := machine.Read(ctx)
	return diagnosis{What: "machine", Status: statusOK, Seen: f.Class() + ", " + f.Memory + ", load " + f.Load}
}

func goCommand(ctx context.Context) diagnosis {
	const what = "go"
	if _, err := exec.LookPath("go"); err != nil {
		return missing(what, fmt.Errorf("%w: %w", campaign.ErrNoGo, err))
	}
	out, err := exec.CommandContext(ctx, "go", "env", "GOVERSION").Output()
	if err != nil {
		return missing(what, fmt.Errorf("go env GOVERSION: %w", err))
	}
	return diagnosis{What: what, Status: statusOK, Seen: strings.TrimSpace(string(out))}
}

// runner: whether a run can be begun from this directory.
func runner(ctx context.Context) diagnosis {
	if err := campaign.Check(ctx, false); err != nil {
		return missing("runner", err)
	}
	return diagnosis{What: "runner", Status: statusOK, Seen: "can be built from here"}
}

// raceDetector tries it for real: a program that imports nothing, built.
func raceDetector(ctx context.Context) diagnosis {
	const what = "race detector"
	if err := campaign.Check(ctx, true); errors.Is(err, campaign.ErrNoCompiler) {
		return missing(what, err)
	}
	dir, err := os.MkdirTemp("", "certify-doctor-")
	if err != nil {
		return missing(what, err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "main.go")
	if err := os.WriteFile(file, []byte("package main\n\nfunc main() {}\n"), 0o644); err != nil {
		return missing(what, err)
	}
	cmd := exec.CommandContext(ctx, "go", "run", "-race", file)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		return missing(what, fmt.Errorf("go run -race: %w: %s", err, strings.TrimSpace(string(out))))
	}
	return diagnosis{What: what, Status: statusOK, Seen: "a program was built with -race and ran"}
}

func processors() diagnosis {
	n := runtime.GOMAXPROCS(0)
	if n == 1 {
		return diagnosis{What: "processors", Status: statusWarning, Seen: "1: workers take turns, and most races are out of reach"}
	}
	return diagnosis{What: "processors", Status: statusOK, Seen: fmt.Sprint(n)}
}

func memoryToWatch() diagnosis {
	available, err := guard.HostAvailable()
	if err != nil {
		return missing("memory", err)
	}
	if _, err := guard.SelfPeak(); err != nil {
		return diagnosis{What: "memory", Status: statusWarning, Seen: "peaks cannot be read, only sampled: " + err.Error()}
	}
	if available < 1<<30 {
		return diagnosis{What: "memory", Status: statusWarning, Seen: bytesText(float64(available)) + " available, less than a repetition may take"}
	}
	return diagnosis{What: "memory", Status: statusOK, Seen: bytesText(float64(available)) + " available, and can be watched"}
}

func disk() diagnosis {
	f, err := os.CreateTemp(".", ".certify-doctor-")
	if err != nil {
		return diagnosis{What: "disk", Status: statusWarning, Seen: "the working directory is not writable, use --out: " + err.Error()}
	}
	defer os.Remove(f.Name())
	defer f.Close()
	if err := f.Sync(); err != nil {
		return diagnosis{What: "disk", Status: statusWarning, Seen: "records cannot be synced: " + err.Error()}
	}
	return diagnosis{What: "disk", Status: statusOK, Seen: "the working directory is writable, and syncs"}
}

func source(ctx context.Context) diagnosis {
	version, commit := machine.Build(ctx)
	switch {
	case commit == "unknown" && version != "unknown" && version != "(devel)":
		return diagnosis{What: "source", Status: statusOK, Seen: "version " + version}
	case commit == "unknown":
		return diagnosis{What: "source", Status: statusWarning, Seen: "commit unknown: results cannot be traced to a source"}
	case strings.HasSuffix(commit, "(modified)"):
		return diagnosis{What: "source", Status: statusWarning, Seen: "commit " + commit + ": results cannot be traced to a source"}
	}
	return diagnosis{What: "source", Status: statusOK, Seen: "version " + version + ", commit " + commit}
}
