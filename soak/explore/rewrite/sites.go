package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Site is a place in the subject that the explorer does not control.
type Site struct {
	Package string
	At      string // file:line
	Kind    string // channel, select, timer, clock, chance, map order, unsafe, linkname, cgo, assembly, collector
	What    string
}

// uncontrolled are the functions of the standard library that do what no
// schedule determines.
var uncontrolled = map[string]map[string]string{
	"time": {"Sleep": "timer", "After": "timer", "AfterFunc": "timer", "NewTimer": "timer", "NewTicker": "timer",
		"Tick": "timer", "Now": "clock", "Since": "clock", "Until": "clock"},
	"context": {"WithCancel": "channel", "WithCancelCause": "channel", "WithTimeout": "timer", "WithDeadline": "timer", "AfterFunc": "channel"},
	"runtime": {"SetFinalizer": "collector", "AddCleanup": "collector", "GC": "collector", "NumGoroutine": "chance"},
}

// sites lists what is not controlled in c.
func sites(c *checked) (all []Site) {
	add := func(p token.Pos, kind, what string) {
		at := c.source.Position(p)
		all = append(all, Site{c.ImportPath, filepath.Base(at.Filename) + ":" + strconv.Itoa(at.Line), kind, what})
	}
	for _, name := range c.CgoFiles {
		all = append(all, Site{c.ImportPath, name + ":1", "cgo", "not rewritten"})
	}
	for _, name := range c.SFiles {
		all = append(all, Site{c.ImportPath, name + ":1", "assembly", "not rewritten"})
	}
	for _, f := range c.files {
		for _, spec := range f.syntax.Imports {
			if spec.Path.Value == `"unsafe"` {
				add(spec.Pos(), "unsafe", "memory under several types")
			}
		}
		for _, group := range f.syntax.Comments {
			for _, comment := range group.List {
				if what, ok := strings.CutPrefix(comment.Text, "//go:"); ok && strings.HasPrefix(what, "linkname ") {
					add(comment.Pos(), "linkname", what)
				}
			}
		}
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			if kind, what := c.kind(n); kind != "" {
				add(n.Pos(), kind, what)
			}
			return true
		})
	}
	return all
}

// kind tells what of n is not controlled, if anything.
func (c *checked) kind(n ast.Node) (kind, what string) {
	switch n := n.(type) {
	case *ast.SendStmt:
		return "channel", "send"
	case *ast.SelectStmt:
		return "select", ""
	case *ast.UnaryExpr:
		if n.Op == token.ARROW {
			return "channel", "receive"
		}
	case *ast.RangeStmt:
		switch c.under(n.X).(type) {
		case *types.Chan:
			return "channel", "range"
		case *types.Map:
			return "map order", "range"
		}
	case *ast.CallExpr:
		if id, ok := ast.Unparen(n.Fun).(*ast.Ident); ok && len(n.Args) > 0 {
			if b, ok := c.info.Uses[id].(*types.Builtin); ok && b.Name() == "close" {
				return "channel", "close"
			}
		}
	case *ast.Ident:
		f, ok := c.info.Uses[n].(*types.Func)
		if !ok || f.Pkg() == nil || f.Signature().Recv() != nil {
			break
		}
		path := f.Pkg().Path()
		if strings.HasPrefix(path, "math/rand") || path == "crypto/rand" || path == "hash/maphash" {
			return "chance", path + "." + f.Name()
		}
		return uncontrolled[path][f.Name()], path + "." + f.Name()
	}
	return "", ""
}

func (c *checked) under(e ast.Expr) types.Type {
	if t := c.info.Types[e].Type; t != nil {
		return t.Underlying()
	}
	return nil
}

// Kinds counts sites by their kind.
func Kinds(all []Site) map[string]int {
	n := map[string]int{}
	for _, s := range all {
		n[s.Kind]++
	}
	return n
}

func sortSites(all []Site) {
	slices.SortStableFunc(all, func(a, b Site) int {
		if d := strings.Compare(a.Package, b.Package); d != 0 {
			return d
		}
		return strings.Compare(a.Kind, b.Kind)
	})
}
