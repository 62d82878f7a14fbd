package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/exactlyonce/certify/soak/machine"
)

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "What was built",
		Args:  noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			f := machine.Read(c.Context())
			if asJSON(c) {
				return printJSON(c.OutOrStdout(), f)
			}
			fmt.Fprintf(c.OutOrStdout(), "certify %s, commit %s, %s %s/%s\n", f.Version, f.Commit, f.Go, f.GOOS, f.GOARCH)
			return nil
		},
	}
}
