package rewrite

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// The packages that a rewritten file imports, and the names under which it
// does so.
const (
	explore     = "github.com/exactlyonce/certify/soak/explore"
	controlName = "certifycontrol"
	runtimeName = "certifyruntime"
)

var shims = map[string]string{
	"sync/atomic": explore + "/atomic",
	"sync":        explore + "/sync",
}

// edit replaces the bytes [from, to) of a file.
type edit struct {
	from, to int
	text     string
}

// editor collects the edits of one file.
type editor struct {
	*file
	pkg   *checked
	edits []edit
	needs map[string]string // name -> path of imports to add
	count int               // things rewritten
}

func newEditor(c *checked, f *file) *editor {
	return &editor{file: f, pkg: c, needs: map[string]string{}}
}

func (e *editor) offset(p token.Pos) int { return e.pkg.source.Position(p).Offset }

func (e *editor) replace(from, to token.Pos, text string) {
	e.edits = append(e.edits, edit{e.offset(from), e.offset(to), text})
}

func (e *editor) source(n ast.Node) string {
	return string(e.text[e.offset(n.Pos()):e.offset(n.End())])
}

// coarse makes each exported function and method one step at the location that
// stands for the whole package; those in reads only read it. What is inside counts
// only if a driver asks for it, so the shims are put there too.
func (e *editor) coarse(reads []string, declare bool) []byte {
	for _, d := range e.syntax.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || !f.Name.IsExported() || f.Body == nil {
			continue
		}
		verb := "Writes"
		if slices.Contains(reads, f.Name.Name) {
			verb = "Reads"
		}
		e.needs[controlName] = explore + "/control"
		e.replace(f.Body.Lbrace+1, f.Body.Lbrace+1, fmt.Sprintf(" defer %s.Leave(certifyPackage.%s());", controlName, verb))
		e.count++
	}
	if declare {
		e.needs[controlName] = explore + "/control"
		end := e.syntax.FileEnd
		e.replace(end, end, fmt.Sprintf("\nvar certifyPackage = %s.Coarse(%q)\n", controlName, e.pkg.ImportPath))
	}
	return e.rewrite()
}

// rewrite puts the shims under the file and returns its new text.
func (e *editor) rewrite() []byte {
	for _, spec := range e.syntax.Imports {
		path, _ := strconv.Unquote(spec.Path.Value)
		if shim := shims[path]; shim != "" {
			e.replace(spec.Path.Pos(), spec.Path.End(), strconv.Quote(shim))
			e.count++
		}
	}
	e.scheduling()
	ast.Inspect(e.syntax, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			e.goStmt(n)
			e.count++
		case *ast.ArrayType:
			e.padding(n)
		}
		return true
	})
	return e.apply()
}

// padding keeps the length of an array that was computed from the size of something:
// with a shim in that, which is larger, it may come out below 0.
func (e *editor) padding(a *ast.ArrayType) {
	if a.Len == nil {
		return
	}
	value := e.pkg.info.Types[a.Len].Value
	if value == nil {
		return
	}
	ast.Inspect(a.Len, func(n ast.Node) bool {
		s, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if _, ok := e.pkg.info.Uses[s.Sel].(*types.Builtin); !ok { // those of unsafe are the only ones with a package
			return true
		}
		// The product keeps the import in use.
		e.replace(a.Len.Pos(), a.Len.End(), fmt.Sprintf("%s+0*%s.Sizeof(0)", value, e.source(s.X)))
		e.count++
		return false
	})
}

// scheduling replaces the calls of runtime that decide who runs. An import of
// runtime that is not needed any more stays, as a blank one.
func (e *editor) scheduling() {
	left := false
	for id, o := range e.pkg.info.Uses {
		if id.Pos() < e.syntax.FileStart || id.Pos() >= e.syntax.FileEnd || o.Pkg() == nil {
			continue
		}
		if f, ok := o.(*types.Func); ok && o.Pkg().Path() == "runtime" && f.Signature().Recv() == nil && (o.Name() == "Gosched" || o.Name() == "Goexit") {
			e.replace(e.qualified(id), id.End(), runtimeName+"."+o.Name())
			e.needs[runtimeName] = explore + "/runtime"
			e.count++
		} else if o.Pkg().Path() == "runtime" && o.Parent() == o.Pkg().Scope() {
			left = true
		}
	}
	if e.needs[runtimeName] == "" || left {
		return
	}
	for _, spec := range e.syntax.Imports {
		if spec.Path.Value == `"runtime"` {
			e.replace(spec.Pos(), spec.End(), `_ "runtime"`)
		}
	}
}

// qualified is where the selector begins of which id is the last part.
func (e *editor) qualified(id *ast.Ident) (at token.Pos) {
	at = id.Pos()
	ast.Inspect(e.syntax, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && s.Sel == id {
			at = s.Pos()
		}
		return n == nil || n.Pos() <= id.Pos() && id.Pos() < n.End()
	})
	return at
}

// apply adds the imports and makes the edits.
func (e *editor) apply() []byte {
	var b strings.Builder
	b.WriteString("; import (") // on the line of the package clause
	names := make([]string, 0, len(e.needs))
	for name := range e.needs {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Fprintf(&b, "%s %q; ", name, e.needs[name])
	}
	b.WriteString(")")
	if len(names) > 0 {
		e.replace(e.syntax.Name.End(), e.syntax.Name.End(), b.String())
	}
	slices.SortStableFunc(e.edits, func(a, b edit) int { return cmp.Or(a.from-b.from, a.to-b.to) })
	var out []byte
	at := 0
	for _, d := range e.edits {
		out = append(append(out, e.text[at:d.from]...), d.text...)
		at = d.to
	}
	return append(out, e.text[at:]...)
}
