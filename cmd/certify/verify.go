package main

import (
	"crypto/ed25519"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/exactlyonce/certify/reports/certificate"
	"github.com/exactlyonce/certify/reports/merge"
)

type verifyFlags struct {
	dir       string
	keys      []string
	anyCommit bool
}

func verifyCommand() *cobra.Command {
	var f verifyFlags
	c := &cobra.Command{
		Use:   "verify FILE",
		Short: "Recheck a certificate: its digests, its numbers and its verdict, from the evidence",
		Long: `Verify makes the certificate's statements again from the run directory, and
compares them byte for byte; it needs no network. The exit code is that of the
verdict when the certificate holds, and 1 when it does not.`,
		Args: certificateArg,
		RunE: func(c *cobra.Command, args []string) error { return f.verify(c, args[0]) },
	}
	fs := c.Flags()
	fs.StringVar(&f.dir, "dir", "", "the run directory (default: where the certificate is)")
	fs.StringSliceVar(&f.keys, "key", nil, "ed25519 public keys, in hex, that must have signed")
	fs.BoolVar(&f.anyCommit, "any-commit", false, "accept a source that was modified, or whose commit is not known")
	return c
}

func certificateArg(c *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usage("%s: %d arguments, want one certificate, such as certify-runs/20060102-150405/%s", c.CommandPath(), len(args), certificateFile)
	}
	return nil
}

func (f verifyFlags) verify(c *cobra.Command, file string) error {
	if f.dir == "" {
		f.dir = filepath.Dir(file)
	}
	o := certificate.Options{AnyCommit: f.anyCommit}
	for _, k := range f.keys {
		key, err := hex.DecodeString(strings.TrimSpace(k))
		if err != nil || len(key) != ed25519.PublicKeySize {
			return usage("--key %.80q: want %d bytes in hex", k, ed25519.PublicKeySize)
		}
		o.Keys = append(o.Keys, key)
	}
	data, err := readMost(file, certificate.MaxBytes)
	if err != nil {
		return usageError{err}
	}
	v, err := certificate.Verify(data, f.dir, o)
	if err != nil {
		return refused(c, err)
	}
	return f.holds(c, v)
}

// refused tells a certificate that does not hold from evidence that is not
// there.
func refused(c *cobra.Command, err error) error {
	if errors.Is(err, os.ErrNotExist) && !errors.Is(err, merge.ErrShards) {
		return usageError{err}
	}
	if asJSON(c) {
		if err := printJSON(c.OutOrStdout(), map[string]any{"holds": false, "why": err.Error()}); err != nil {
			return err
		}
	} else {
		fmt.Fprintln(c.OutOrStdout(), "DOES NOT HOLD:", harmless(err.Error()))
	}
	return verdictError{1}
}

func (f verifyFlags) holds(c *cobra.Command, v certificate.Verified) error {
	code := v.Verdict.ExitCode()
	if asJSON(c) {
		if err := printJSON(c.OutOrStdout(), map[string]any{
			"holds": true, "verdict": v.Verdict, "reason": v.Reason, "exit": code, "run": v.Run, "commit": v.Commit, "signers": v.Signers,
		}); err != nil {
			return err
		}
	} else {
		because := ""
		if v.Reason != "" {
			because = fmt.Sprintf(" (%s)", v.Reason)
		}
		fmt.Fprintf(c.OutOrStdout(), "HOLDS: %s%s\n  run %s of commit %s\n", v.Verdict, because, v.Run, harmless(v.Commit))
		for _, s := range v.Signers {
			fmt.Fprintf(c.OutOrStdout(), "  signed by %s\n", s)
		}
		if len(v.Signers) == 0 {
			fmt.Fprintln(c.OutOrStdout(), "  not signed: it says what the evidence says, and not who made that")
		}
	}
	if code != 0 {
		return verdictError{code}
	}
	return nil
}

// readMost reads a file of which more than most bytes are not wanted.
func readMost(name string, most int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, most+1))
}
