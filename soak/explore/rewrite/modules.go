package rewrite

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
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
	original, err := goEnv(p.Dir, "GOMOD")
	if err != nil {
		return "", err
	}
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
	_, err = goCommand(p.Dir, append(append([]string{"mod", "edit"}, p.replacements()...), to)...)
	return to, err
}

// replacements are the arguments of go mod edit and go work edit for the copies.
func (p *plan) replacements() (args []string) {
	for _, path := range slices.Sorted(maps.Keys(p.modules)) {
		m := p.modules[path]
		if m.version != "" {
			args = append(args, "-dropreplace="+path+"@"+m.version)
		}
		args = append(args, "-dropreplace="+path, "-replace="+path+"="+m.to)
	}
	return args
}

// workspace writes a go.work that replaces the copied modules, beside a go.work.sum:
// in a workspace the go command takes no other go.mod. Relative paths of the original
// become absolute.
func (p *plan) workspace(original string) error {
	to := filepath.Join(p.Work, "go.work")
	for _, suffix := range []string{"", ".sum"} {
		text, err := os.ReadFile(original + suffix)
		if err != nil && (suffix == "" || !errors.Is(err, fs.ErrNotExist)) {
			return fmt.Errorf("rewrite: %w", err)
		}
		if err := write(to+suffix, text); err != nil {
			return err
		}
	}
	args, err := absolute(p.Dir, original)
	if err != nil {
		return err
	}
	args = append(append([]string{"work", "edit"}, args...), p.replacements()...)
	if _, err := goCommand(p.Dir, append(args, to)...); err != nil {
		return err
	}
	p.Env = []string{"GOWORK=" + to}
	return nil
}

// absolute are the arguments of go work edit that make the paths in a go.work
// absolute.
func absolute(dir, file string) (args []string, err error) {
	text, err := goCommand(dir, "work", "edit", "-json", file)
	if err != nil {
		return nil, err
	}
	type version struct{ Path, Version string }
	var work struct {
		Use     []struct{ DiskPath string }
		Replace []struct{ Old, New version }
	}
	if err := json.Unmarshal(text, &work); err != nil {
		return nil, fmt.Errorf("rewrite: go work edit -json %s: %w", file, err)
	}
	from := func(path string) string {
		if filepath.IsAbs(path) {
			return path
		}
		return filepath.Join(filepath.Dir(file), filepath.FromSlash(path))
	}
	for _, u := range work.Use {
		args = append(args, "-dropuse="+u.DiskPath, "-use="+from(u.DiskPath))
	}
	for _, r := range work.Replace {
		old := r.Old.Path
		if r.Old.Version != "" {
			old += "@" + r.Old.Version
		}
		if r.New.Version == "" { // a directory
			args = append(args, "-dropreplace="+old, "-replace="+old+"="+from(r.New.Path))
		}
	}
	return args, nil
}
