package rewrite

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Subject says what to rewrite.
type Subject struct {
	Dir      string            // where the go command runs: in the main module
	Patterns []string          // packages, as for go list
	Work     string            // an existing directory for the rewritten files
	Extra    map[string]string // files to add to the build: absolute path -> text
	Coarse   []Coarse          // packages that are not looked into
	Instead  map[string]string // what a file is taken to say: absolute path -> source; for faults that must be found
}

// Coarse is a package of which each call of an exported function is one step
// at one location. Functions in Reads only read it: any two of them commute.
type Coarse struct {
	Package string
	Reads   []string
}

// Result is what was rewritten.
type Result struct {
	Flags    []string // for go build and go run, in Subject.Dir
	Env      []string // likewise, besides the environment's
	Packages []Package
	Sites    []Site
}

// Package is a package under which shims were put.
type Package struct {
	Path    string
	Count   int  // imports, go statements and calls that were rewritten
	Coarse  bool // Subject.Coarse
	Skipped bool // as it is, because it cannot be parsed or checked: cgo
}

// plan is a Rewrite at work.
type plan struct {
	Subject
	Result
	exports map[string]string
	overlay map[string]string // original -> rewritten
	modules map[string]*copied
}

// Rewrite rewrites the subject and everything it is built from but the standard
// library and the explorer itself. The subject's module must have a package of
// the explorer's module in its build list, or be it.
func Rewrite(s Subject) (*Result, error) {
	all, err := load(s.Dir, s.Patterns)
	if err != nil {
		return nil, err
	}
	p := &plan{Subject: s, exports: map[string]string{}, overlay: map[string]string{}, modules: map[string]*copied{}}
	for _, l := range all {
		p.exports[l.ImportPath] = l.Export
	}
	for _, l := range all {
		if l.Standard || l.ImportPath == explore || strings.HasPrefix(l.ImportPath, explore+"/") {
			continue
		}
		if err := p.one(l); err != nil {
			return nil, err
		}
	}
	for name, text := range s.Extra {
		if err := p.put(name, []byte(text)); err != nil {
			return nil, err
		}
	}
	sortSites(p.Sites)
	return &p.Result, p.finish()
}

// one rewrites one package.
func (p *plan) one(l *listed) error {
	if len(l.CgoFiles) > 0 {
		p.Packages = append(p.Packages, Package{Path: l.ImportPath, Skipped: true})
		p.Sites = append(p.Sites, Site{l.ImportPath, l.CgoFiles[0] + ":1", "cgo", "the package is not rewritten"})
		return nil
	}
	c, err := check(l, p.exports, p.Instead)
	if err != nil {
		return err
	}
	p.Sites = append(p.Sites, sites(c)...)
	done := Package{Path: l.ImportPath}
	reads, coarse := p.coarse(l.ImportPath)
	done.Coarse = coarse
	for i, f := range c.files {
		e := newEditor(c, f)
		var text []byte
		if coarse {
			text = e.coarse(reads, i == 0)
		} else {
			text = e.rewrite()
		}
		done.Count += e.count
		if _, replaced := p.Instead[f.name]; len(e.edits) == 0 && !replaced {
			continue
		}
		if err := p.place(l, f.name, text); err != nil {
			return err
		}
	}
	p.Packages = append(p.Packages, done)
	return nil
}

func (p *plan) coarse(path string) (reads []string, ok bool) {
	for _, c := range p.Coarse {
		if c.Package == path {
			return c.Reads, true
		}
	}
	return nil, false
}

// place puts a rewritten file where the go command finds it.
func (p *plan) place(l *listed, name string, text []byte) error {
	if l.Module == nil || l.Module.Main {
		return p.put(name, text)
	}
	m, err := p.copyOf(l.Module)
	if err != nil {
		return err
	}
	rel, err := filepath.Rel(m.from, name)
	if err != nil {
		return fmt.Errorf("rewrite: %w", err)
	}
	return write(filepath.Join(m.to, rel), text)
}

// put adds a file to the overlay.
func (p *plan) put(name string, text []byte) error {
	to := filepath.Join(p.Work, "files", fmt.Sprintf("%d_%s", len(p.overlay), filepath.Base(name)))
	p.overlay[name] = to
	return write(to, text)
}

func write(name string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return fmt.Errorf("rewrite: %w", err)
	}
	if err := os.WriteFile(name, text, 0o644); err != nil {
		return fmt.Errorf("rewrite: %w", err)
	}
	return nil
}

// finish writes the overlay and the module file.
func (p *plan) finish() error {
	text, err := json.MarshalIndent(map[string]any{"Replace": p.overlay}, "", "\t")
	if err != nil {
		return fmt.Errorf("rewrite: overlay: %w", err)
	}
	overlay := filepath.Join(p.Work, "overlay.json")
	if err := write(overlay, text); err != nil {
		return err
	}
	p.Flags = []string{"-overlay=" + overlay}
	if len(p.modules) == 0 {
		return nil
	}
	work, err := goEnv(p.Dir, "GOWORK")
	if err != nil {
		return err
	}
	if work != "" && work != "off" {
		return p.workspace(work)
	}
	modfile, err := p.modfile()
	if err != nil {
		return err
	}
	p.Flags = append(p.Flags, "-modfile="+modfile, "-mod=mod")
	return nil
}
