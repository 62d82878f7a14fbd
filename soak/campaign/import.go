package campaign

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
)

// ErrImport: a package that was to be imported cannot be, or exports nothing that
// can be certified.
var ErrImport = errors.New("cannot be imported")

// What a package exports for us, with its signature as people write it.
const (
	executorsFunc = "Executors"
	backendsFunc  = "Backends"
)

// exported says which of these functions a package has.
type exported struct{ executors, backends bool }

// look parses the package, of which nothing is run.
func look(ctx context.Context, path string) (e exported, err error) {
	out, err := goCommand(ctx, "list", "-buildvcs=false", "-json=Name,Dir,GoFiles,CgoFiles", "--", path)
	if err != nil {
		return e, fmt.Errorf("%w: %w", ErrImport, err)
	}
	var pkg struct {
		Name, Dir         string
		GoFiles, CgoFiles []string
	}
	if err := json.Unmarshal([]byte(out), &pkg); err != nil {
		return e, fmt.Errorf("campaign: import %s: %w: %w", path, ErrImport, err)
	}
	if pkg.Name == "main" {
		return e, fmt.Errorf("campaign: import %s: %w: it is a program", path, ErrImport)
	}
	for _, name := range append(pkg.GoFiles, pkg.CgoFiles...) {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(pkg.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return e, fmt.Errorf("campaign: import %s: %w: %w", path, ErrImport, err)
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Recv != nil {
				continue
			}
			e.executors = e.executors || f.Name.Name == executorsFunc
			e.backends = e.backends || f.Name.Name == backendsFunc
		}
	}
	if !e.executors && !e.backends {
		return e, fmt.Errorf("campaign: import %s: %w: it exports neither func %s() []soak.Executor nor func %s[E any]() []queues.Backend[*E]", path, ErrImport, executorsFunc, backendsFunc)
	}
	return e, nil
}

// ImportPath is the path by which others import a package that may be named by its
// directory, as . and ./certified are.
func ImportPath(ctx context.Context, pkg string) (string, error) {
	if !strings.HasPrefix(pkg, ".") && !filepath.IsAbs(pkg) {
		return pkg, nil
	}
	path, err := goCommand(ctx, "list", "-find", "-buildvcs=false", "-f", "{{.ImportPath}}", "--", pkg)
	if ctx.Err() != nil {
		return "", ErrInterrupted
	}
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrImport, err)
	}
	if strings.Contains(path, "\n") {
		return "", fmt.Errorf("campaign: import %s: %w: it is more than one package", pkg, ErrImport)
	}
	return path, nil
}

// runnerMain is the program of a runner that imports a package.
func runnerMain(path string, e exported) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "package main\n\nimport (\n\t\"os\"\n\n\tsubject %q\n\n", path)
	if e.backends {
		fmt.Fprintf(&b, "\t\"github.com/exactlyonce/certify/executor\"\n")
	}
	fmt.Fprintf(&b, "\t\"github.com/exactlyonce/certify/soak\"\n\t\"github.com/exactlyonce/certify/soak/faulty\"\n)\n\nfunc main() {\n\tvar all []soak.Executor\n")
	if e.executors {
		fmt.Fprintf(&b, "\tall = append(all, subject.%s()...)\n", executorsFunc)
	}
	if e.backends {
		fmt.Fprintf(&b, "\tall = append(all, soak.OfBackends(subject.%s[executor.Task]())...)\n", backendsFunc)
	}
	fmt.Fprintf(&b, "\tos.Exit(soak.Repetition(os.Args[1:], soak.Given{soak.CanaryName: faulty.Subjects(), soak.ImportName: all}))\n}\n")
	return b.Bytes()
}

// buildImporting builds a program that stands nowhere but in an overlay: below the
// main module, so that whatever the module may import it may.
func buildImporting(ctx context.Context, args []string, race bool, path string) error {
	e, err := look(ctx, path)
	if err != nil {
		return err
	}
	gomod, err := goCommand(ctx, "env", "GOMOD")
	if err != nil {
		return err
	}
	if gomod == "" || gomod == os.DevNull {
		return fmt.Errorf("campaign: import %s: %w: the working directory is in no module", path, ErrImport)
	}
	temp, err := os.MkdirTemp("", "certify-import-")
	if err != nil {
		return fmt.Errorf("campaign: import %s: %w", path, err)
	}
	defer os.RemoveAll(temp)
	root := filepath.Dir(gomod)
	main, overlay := filepath.Join(temp, "main.go"), filepath.Join(temp, "overlay.json")
	const dir = "certify-runner-of-imports" // is not there, but for the overlay
	data, err := json.Marshal(map[string]map[string]string{"Replace": {filepath.Join(root, dir, "main.go"): main}})
	if err == nil {
		err = errors.Join(os.WriteFile(main, runnerMain(path, e), 0o644), os.WriteFile(overlay, data, 0o644))
	}
	if err != nil {
		return fmt.Errorf("campaign: import %s: %w", path, err)
	}
	return build(ctx, append(args, "-overlay", overlay, filepath.Join(root, dir)), race)
}
