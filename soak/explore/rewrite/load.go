package rewrite

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// listed is a package as go list prints it.
type listed struct {
	ImportPath string
	Dir        string
	Export     string
	Standard   bool
	Module     *module
	GoFiles    []string
	CgoFiles   []string
	SFiles     []string
	ImportMap  map[string]string
	Error      *struct{ Err string }
}

type module struct {
	Path    string
	Version string
	Dir     string
	GoMod   string
	Main    bool
	Replace *module
}

// load asks the go command for all that the patterns are built from, in the
// order of imports, with export data.
func load(dir string, patterns []string) ([]*listed, error) {
	args := append([]string{"list", "-deps", "-export", "-json=ImportPath,Dir,Export,Standard,Module,GoFiles,CgoFiles,SFiles,ImportMap,Error", "--"}, patterns...)
	out, err := goCommand(dir, args...)
	if err != nil {
		return nil, err
	}
	var all []*listed
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		p := new(listed)
		if err := d.Decode(p); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, fmt.Errorf("rewrite: go list: %w", err)
		}
		if p.Error != nil {
			return nil, fmt.Errorf("rewrite: %s: %s", p.ImportPath, p.Error.Err)
		}
		all = append(all, p)
	}
}

func goCommand(dir string, args ...string) ([]byte, error) {
	return goCommandIn(nil, dir, args...)
}

// goCommandIn has variables besides the environment's.
func goCommandIn(env []string, dir string, args ...string) ([]byte, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	if len(env) > 0 {
		cmd.Env = append(cmd.Environ(), env...)
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("rewrite: go %s in %s: %w\n%s", args[0], dir, err, strings.TrimSpace(stderr.String()))
	}
	return out, nil
}

// checked is a package with its syntax and types.
type checked struct {
	*listed
	files  []*file
	info   *types.Info
	source *token.FileSet
}

type file struct {
	name   string // absolute
	text   []byte
	syntax *ast.File
}

// check parses p and finds the types in it. exports maps import paths to files
// of export data, instead maps files to what they are taken to say.
func check(p *listed, exports, instead map[string]string) (*checked, error) {
	c := &checked{listed: p, source: token.NewFileSet()}
	var syntax []*ast.File
	for _, name := range p.GoFiles {
		f := &file{name: filepath.Join(p.Dir, name)}
		var err error
		if f.text, err = os.ReadFile(f.name); err != nil {
			return nil, fmt.Errorf("rewrite: %w", err)
		}
		if text, ok := instead[f.name]; ok {
			f.text = []byte(text)
		}
		if f.syntax, err = parser.ParseFile(c.source, f.name, f.text, parser.ParseComments|parser.SkipObjectResolution); err != nil {
			return nil, fmt.Errorf("rewrite: %w", err)
		}
		c.files = append(c.files, f)
		syntax = append(syntax, f.syntax)
	}
	lookup := func(path string) (io.ReadCloser, error) {
		if mapped := p.ImportMap[path]; mapped != "" {
			path = mapped
		}
		if exports[path] == "" {
			return nil, fmt.Errorf("no export data of %s", path)
		}
		return os.Open(exports[path])
	}
	c.info = &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}
	config := types.Config{Sizes: types.SizesFor("gc", runtime.GOARCH), Importer: importer.ForCompiler(c.source, "gc", lookup), FakeImportC: true}
	if _, err := config.Check(p.ImportPath, c.source, syntax, c.info); err != nil {
		return nil, fmt.Errorf("rewrite: %s: %w", p.ImportPath, err)
	}
	return c, nil
}
