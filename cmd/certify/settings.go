package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// settingsFile may stand in the working directory. Its keys are the names of
// the flags.
const settingsFile = "certify.toml"

// applySettings fills in the flags that the command line left alone: from the
// environment, CERTIFY_LOW_WATER for --low-water, else from certify.toml. It
// returns where those values are from, by the flag.
func applySettings(c *cobra.Command) (sources map[string]string, err error) {
	file, err := readSettings(c.Flags())
	if err != nil {
		return nil, err
	}
	sources = map[string]string{}
	set := func(f *pflag.Flag, value, source string) error {
		sources[f.Name] = source
		if err := c.Flags().Set(f.Name, value); err != nil {
			return usage("%s %q: %w", source, value, errors.Unwrap(err))
		}
		return nil
	}
	var bad error
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Changed || bad != nil || f.Name == "help" {
			return
		}
		if v, ok := os.LookupEnv(envName(f.Name)); ok {
			bad = set(f, v, envName(f.Name))
		} else if v, ok := file[f.Name]; ok {
			bad = set(f, text(v), settingsFile+": "+f.Name)
		}
	})
	return sources, bad
}

func envName(flag string) string {
	return "CERTIFY_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

func readSettings(flags *pflag.FlagSet) (map[string]any, error) {
	var file map[string]any
	_, err := toml.DecodeFile(settingsFile, &file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, usage("%s: %w", settingsFile, err)
	}
	for key := range file {
		if flags.Lookup(key) == nil || key == "help" {
			return nil, usage("%s: %s: no such setting; they are named like the flags", settingsFile, key)
		}
	}
	return file, nil
}

// text is a TOML value as a flag takes it: lists with commas.
func text(v any) string {
	list, ok := v.([]any)
	if !ok {
		return fmt.Sprint(v)
	}
	parts := make([]string, len(list))
	for i, e := range list {
		parts[i] = fmt.Sprint(e)
	}
	return strings.Join(parts, ",")
}
