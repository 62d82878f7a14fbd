package rewrite

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// copied is a copy of a module, whose files can be replaced.
type copied struct {
	path, version string
	from, to      string
}

// copyOf copies a module that is not the main one, once.
func (p *plan) copyOf(m *module) (*copied, error) {
	if c := p.modules[m.Path]; c != nil {
		return c, nil
	}
	c := &copied{m.Path, m.Version, m.Dir, filepath.Join(p.Work, "modules", fmt.Sprint(len(p.modules)))}
	err := filepath.WalkDir(c.from, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(c.from, name)
		if err != nil {
			return err
		}
		if d.IsDir() {
			if base := d.Name(); rel != "." && (strings.HasPrefix(base, ".") || nested(name)) {
				return fs.SkipDir
			}
			return os.MkdirAll(filepath.Join(c.to, rel), 0o755)
		}
		if !d.Type().IsRegular() || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return write(filepath.Join(c.to, rel), text)
	})
	if err != nil {
		return nil, fmt.Errorf("rewrite: copy of %s: %w", m.Path, err)
	}
	if _, err := os.Stat(filepath.Join(c.to, "go.mod")); err != nil { // a module from before modules
		if err := write(filepath.Join(c.to, "go.mod"), []byte("module "+m.Path+"\n")); err != nil {
			return nil, err
		}
	}
	p.modules[m.Path] = c
	return c, nil
}

// nested tells whether a directory is a module of its own.
func nested(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}

// modfile writes a go.mod that replaces the copied modules, beside a go.sum.
// Its relative replacements stay right, because they start at the main module.
func (p *plan) modfile() (string, error) {
	gomod, err := goCommand(p.Dir, "env", "GOMOD")
	if err != nil {
		return "", err
	}
	original := strings.TrimSpace(string(gomod))
	to := filepath.Join(p.Work, "go.mod")
	text, err := os.ReadFile(original)
	if err != nil {
		return "", fmt.Errorf("rewrite: %w", err)
	}
	if err := write(to, text); err != nil {
		return "", err
	}
	if sum, err := os.ReadFile(strings.TrimSuffix(original, ".mod") + ".sum"); err == nil {
		if err := write(filepath.Join(p.Work, "go.sum"), sum); err != nil {
			return "", err
		}
	}
	paths := make([]string, 0, len(p.modules))
	for path := range p.modules {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	args := []string{"mod", "edit"}
	for _, path := range paths {
		m := p.modules[path]
		if m.version != "" {
			args = append(args, "-dropreplace="+path+"@"+m.version)
		}
		args = append(args, "-dropreplace="+path, "-replace="+path+"="+m.to)
	}
	_, err = goCommand(p.Dir, append(args, to)...)
	return to, err
}
