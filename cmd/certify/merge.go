package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/exactlyonce/certify/reports/merge"
	"github.com/exactlyonce/certify/reports/rundir"
)

func mergeCommand() *cobra.Command {
	var out string
	c := &cobra.Command{
		Use:   "merge PATH...",
		Short: "Join the shards of a run: one verdict, one report, one certificate",
		Long: `Merge takes blobs, run directories of shards, and directories that hold blobs at
any depth. They must be of one plan, one runner and one commit, and each there
once: two of one number are refused even if one is clean, for a failure does not
go away by running again. Where a shard is missing the verdict is INCONCLUSIVE.`,
		Example: `  certify merge --out certify-runs/nightly artifacts/`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("%s: want the shards, such as certify-0123abcd-1of4.tar.gz, or where they are", c.CommandPath())
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if out == "" {
				return usage("merge: want --out, the directory for the run")
			}
			return mergeShards(c, out, args)
		},
	}
	c.Flags().StringVar(&out, "out", "", "directory of the merged run, which must not exist or be empty")
	return c
}

func mergeShards(c *cobra.Command, out string, paths []string) error {
	run, err := merge.Merge(out, paths)
	if err != nil {
		return mergeError(err)
	}
	dir, err := rundir.Open(out)
	if err != nil {
		return err
	}
	err = writeDerived(dir, run)
	if err = errors.Join(err, dir.Close()); err != nil {
		return err
	}
	return newUI(c).conclude(summarize(run, run.Groups))
}

// mergeError tells what was given, which is for the caller to mend, from a disk
// that is full.
func mergeError(err error) error {
	if errors.As(err, new(*merge.InputError)) {
		return usageError{err}
	}
	return outError("--out", err)
}
