package main

import (
	"io"
	"strings"

	"github.com/spf13/cobra"
)

func newRoot(stdout, stderr io.Writer) *cobra.Command {
	root := &cobra.Command{
		Use:   "certify",
		Short: "Stress-certify task executors and concurrent queues",
		Long: `Certify is a benchmark and stress-certification suite for task executors and
concurrent queues.

The result goes to standard output, everything else to standard error. Exit
codes: 0 certified or done, 1 failed, 2 usage, 3 inconclusive, 4 infrastructure
(no compiler, disk full), 130 and 143 interrupted.`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          noArgs,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return usage("%w; see %s --help", err, c.CommandPath())
	})
	root.PersistentFlags().Bool("json", false, "print the result as one JSON document")
	root.AddCommand(initCommand(), runCommand(), soakCommand(), exploreCommand(), planCommand(), resumeCommand(), mergeCommand(), benchCommand(), compareCommand(), reportCommand(), signCommand(), verifyCommand(), listCommand(), doctorCommand(), versionCommand())
	root.SetHelpCommand(helpCommand(root))
	root.CompletionOptions.HiddenDefaultCmd = true
	return root
}

func helpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Help about any command",
		RunE: func(_ *cobra.Command, args []string) error {
			c, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return noArgs(root, args)
			}
			return c.Help()
		},
	}
}

// noArgs and dirArg are cobra's checks with our exit code.
func noArgs(c *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return nil
	case c.HasSubCommands():
		return usage("no command %q%s; see certify --help", args[0], meant(c, args[0]))
	}
	return usage("%s: unexpected argument %q; see %s --help", c.CommandPath(), args[0], c.CommandPath())
}

func meant(c *cobra.Command, typed string) string {
	c.SuggestionsMinimumDistance = 2
	if near := c.SuggestionsFor(typed); len(near) > 0 {
		return ", did you mean " + strings.Join(near, " or ") + "?"
	}
	return ""
}

func dirArg(c *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usage("%s: %d arguments, want the directory of one run, such as certify-runs/20060102-150405", c.CommandPath(), len(args))
	}
	return nil
}

func asJSON(c *cobra.Command) bool {
	json, _ := c.Flags().GetBool("json")
	return json
}
