package main

import (
	"context"
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
			if asJSON(c) {
				if err := printJSON(c.OutOrStdout(), all); err != nil {
					return err
				}
			} else {
				printDiagnoses(c.OutOrStdout(), all)
			}
			for _, d := range all {
				if d.Status == statusMissing {
					return fmt.Errorf("doctor: %s: %s", d.What, d.Seen)
				}
			}
			return nil
		},
	}
}

func printDiagnoses(w io.Writer, all []diagnosis) {
	for _, d := range all {
		fmt.Fprintf(w, "%-8s %-14s %s\n", d.Status, d.What, d.Seen)
	}
}

func diagnose(ctx context.Context) []diagnosis {
	return []diagnosis{
		machineFacts(ctx), goCommand(ctx), raceDetector(ctx), processors(), memoryToWatch(), disk(), source(ctx),
	}
}

func machineFacts(ctx context.Context) diagnosis {
	f := machine.Read(ctx)
	return diagnosis{"machine", statusOK, f.Class() + ", " + f.Memory + ", load " + f.Load}
}

func goCommand(ctx context.Context) diagnosis {
	out, err := exec.CommandContext(ctx, "go", "env", "GOVERSION").Output()
	if err != nil {
		return diagnosis{"go", statusMissing, "the go command, which builds the runner: " + err.Error()}
	}
	return diagnosis{"go", statusOK, strings.TrimSpace(string(out))}
}

// raceDetector tries it for real: a program that imports nothing, built.
func raceDetector(ctx context.Context) diagnosis {
	const what = "race detector"
	if err := campaign.CheckRace(ctx); err != nil {
		return diagnosis{what, statusMissing, err.Error() + " (or use --race=false)"}
	}
	dir, err := os.MkdirTemp("", "certify-doctor-")
	if err != nil {
		return diagnosis{what, statusMissing, err.Error()}
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "main.go")
	if err := os.WriteFile(file, []byte("package main\n\nfunc main() {}\n"), 0o644); err != nil {
		return diagnosis{what, statusMissing, err.Error()}
	}
	cmd := exec.CommandContext(ctx, "go", "run", "-race", file)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		return diagnosis{what, statusMissing, fmt.Sprintf("go run -race: %v: %s", err, strings.TrimSpace(string(out)))}
	}
	return diagnosis{what, statusOK, "a program was built with -race and ran"}
}

func processors() diagnosis {
	n := runtime.GOMAXPROCS(0)
	if n == 1 {
		return diagnosis{"processors", statusWarning, "1: workers take turns, and most races are out of reach"}
	}
	return diagnosis{"processors", statusOK, fmt.Sprint(n)}
}

func memoryToWatch() diagnosis {
	available, err := guard.HostAvailable()
	if err != nil {
		return diagnosis{"memory", statusMissing, err.Error()}
	}
	if _, err := guard.SelfPeak(); err != nil {
		return diagnosis{"memory", statusWarning, "peaks cannot be read, only sampled: " + err.Error()}
	}
	if available < 1<<30 {
		return diagnosis{"memory", statusWarning, bytesText(float64(available)) + " available, less than a repetition may take"}
	}
	return diagnosis{"memory", statusOK, bytesText(float64(available)) + " available, and can be watched"}
}

func disk() diagnosis {
	f, err := os.CreateTemp(".", ".certify-doctor-")
	if err != nil {
		return diagnosis{"disk", statusWarning, "the working directory is not writable, use --out: " + err.Error()}
	}
	defer os.Remove(f.Name())
	defer f.Close()
	if err := f.Sync(); err != nil {
		return diagnosis{"disk", statusWarning, "records cannot be synced: " + err.Error()}
	}
	return diagnosis{"disk", statusOK, "the working directory is writable, and syncs"}
}

func source(ctx context.Context) diagnosis {
	version, commit := machine.Build(ctx)
	switch {
	case commit == "unknown":
		return diagnosis{"source", statusWarning, "commit unknown: results cannot be traced to a source"}
	case strings.HasSuffix(commit, "(modified)"):
		return diagnosis{"source", statusWarning, "commit " + commit + ": results cannot be traced to a source"}
	}
	return diagnosis{"source", statusOK, "version " + version + ", commit " + commit}
}
