package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/spf13/cobra"
)

//go:embed template/subjects.go.txt
var subjectsTemplate string

// subjectsFile is what init writes.
const subjectsFile = "subjects.go"

func initCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "init [DIR]",
		Short: "Write a package that makes your pool or queue a subject, to begin with",
		Long: `Init writes DIR/subjects.go, by default certified/subjects.go, in the module of
the working directory: a package that exports Executors(), which compiles and
passes as it is. Put your pool in the place of the one that is there.`,
		Example: `  certify init`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usage("%s: %d arguments, want a directory", c.CommandPath(), len(args))
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return initialize(c, append(args, "certified")[0]) },
	}
}

func initialize(c *cobra.Command, dir string) error {
	pkg := filepath.Base(filepath.Clean(dir))
	if !token.IsIdentifier(pkg) {
		return usage("init %s: %q is no name for a package", dir, pkg)
	}
	module, root, err := mainModule(c.Context())
	if err != nil {
		return err
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	rel, err := filepath.Rel(root, abs)
	if err != nil || !filepath.IsLocal(rel) {
		return usage("init %s: not below the module's directory %s", dir, root)
	}
	importPath := path.Join(module, filepath.ToSlash(rel))
	var text bytes.Buffer
	if err := template.Must(template.New("subjects").Parse(subjectsTemplate)).Execute(&text, struct{ Package, Path string }{pkg, importPath}); err != nil {
		return err
	}
	if err := createNew(filepath.Join(dir, subjectsFile), text.Bytes()); err != nil {
		return usage("init: %w", err)
	}
	fmt.Fprintf(c.OutOrStdout(), "%s: make it yours, then:\n  certify run --preset quick --import %s\n", filepath.Join(dir, subjectsFile), importPath)
	return nil
}

// mainModule is the path and the directory of the module of the working directory.
func mainModule(ctx context.Context) (module, root string, err error) {
	gomod, err := exec.CommandContext(ctx, "go", "env", "GOMOD").Output()
	root = filepath.Dir(strings.TrimSpace(string(gomod)))
	if err != nil || root == "." || strings.TrimSpace(string(gomod)) == os.DevNull {
		return "", "", usage("init: the working directory is in no module; go mod init makes one")
	}
	out, err := exec.CommandContext(ctx, "go", "mod", "edit", "-json").Output()
	var mod struct{ Module struct{ Path string } }
	if err == nil {
		err = json.Unmarshal(out, &mod)
	}
	if err != nil || mod.Module.Path == "" {
		return "", "", usage("init: %s is no module: %v", root, err)
	}
	return mod.Module.Path, root, nil
}

// createNew writes a file that is not there yet.
func createNew(name string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s is there already", name)
	}
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}
