package main

import (
	"io"

	"github.com/spf13/cobra"
)

func newRoot(stdout, stderr io.Writer) *cobra.Command {
	root := &cobra.Command{
		Use:           "certify",
		Short:         "Stress-certify task executors and concurrent queues",
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          noArgs,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return usage("%w; see certify %s --help", err, c.Name())
	})
	root.PersistentFlags().Bool("json", false, "print the result as one JSON document")
	root.AddCommand(runCommand(), soakCommand(), resumeCommand(), listCommand(), doctorCommand(), versionCommand())
	root.CompletionOptions.HiddenDefaultCmd = true
	return root
}

// noArgs and dirArg are cobra's checks with our exit code.
func noArgs(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usage("%s: unknown command or argument %q; see certify --help", c.CommandPath(), args[0])
	}
	return nil
}

func dirArg(c *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usage("%s: %d arguments, want the directory of one run", c.CommandPath(), len(args))
	}
	return nil
}

func asJSON(c *cobra.Command) bool {
	json, _ := c.Flags().GetBool("json")
	return json
}
