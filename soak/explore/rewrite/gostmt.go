package rewrite

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// goStmt turns a go statement into a call of control.Go. The function and its
// arguments are evaluated by the caller, in their order, as the language has
// it; only what lies between them is replaced, so that they may hold go
// statements of their own:
//
//	go x.f(a, 1)
//	control.Go(func() func() { F := x.f; A0, _ := a, 1; return func() { F(A0, 1) } }())
func (e *editor) goStmt(g *ast.GoStmt) {
	e.needs[controlName] = explore + "/control"
	call := g.Call
	if f, ok := ast.Unparen(call.Fun).(*ast.FuncLit); ok && len(call.Args) == 0 && f.Type.Results.NumFields() == 0 {
		e.replace(g.Go, call.Fun.Pos(), controlName+".Spawn("+e.lines(g.Go, call.Fun.Pos()))
		e.replace(call.Fun.End(), call.End(), ")"+e.lines(call.Fun.End(), call.End()))
		return
	}
	start := controlName + ".Spawn(func() func() {"
	name := e.source(call.Fun)
	between := ""
	if e.named(call.Fun) {
		e.replace(g.Go, call.Lparen+1, start+e.lines(g.Go, call.Lparen+1))
	} else {
		name, between = "certifyF", ";"
		e.replace(g.Go, g.Go+2, start+" certifyF :=")
		e.replace(call.Fun.End(), call.Lparen+1, "")
	}
	left, right := e.arguments(call)
	if len(left) > 0 {
		assign := " := "
		if strings.Trim(strings.Join(left, ""), "_") == "" {
			assign = " = "
		}
		e.replace(call.Lparen+1, call.Lparen+1, between+" "+strings.Join(left, ", ")+assign)
		between = ";"
	}
	from := call.Lparen + 1
	if n := len(call.Args); n > 0 {
		from = call.Args[n-1].End()
	}
	dots := ""
	if call.Ellipsis.IsValid() {
		dots = "..."
	}
	e.replace(from, call.End(), fmt.Sprintf("%s return func() { %s(%s%s) } }())", between, name, strings.Join(right, ", "), dots)+e.lines(from, call.End()))
}

// arguments are the names that a call's arguments get, _ for those that need
// none, and what the call says in their place.
func (e *editor) arguments(call *ast.CallExpr) (left, right []string) {
	for _, arg := range call.Args {
		tv := e.pkg.info.Types[arg]
		if tuple, ok := tv.Type.(*types.Tuple); ok {
			for range tuple.Len() {
				left = append(left, fmt.Sprintf("certifyA%d", len(left)))
			}
			return left, left
		}
		switch {
		case tv.IsNil():
			e.replace(arg.Pos(), arg.End(), "0")
			left, right = append(left, "_"), append(right, "nil")
		case tv.Value != nil || tv.IsType():
			if tv.IsType() { // go new(T), and the like
				e.replace(arg.Pos(), arg.End(), "0")
			}
			left, right = append(left, "_"), append(right, e.source(arg))
		default:
			name := fmt.Sprintf("certifyA%d", len(left))
			left, right = append(left, name), append(right, name)
		}
	}
	return left, right
}

// named tells whether a function is not a value: one of a package, perhaps with
// type arguments, or a builtin.
func (e *editor) named(fun ast.Expr) bool {
	switch f := ast.Unparen(fun).(type) {
	case *ast.Ident:
		return isFunction(e.pkg.info.Uses[f])
	case *ast.SelectorExpr:
		return e.pkg.info.Selections[f] == nil && isFunction(e.pkg.info.Uses[f.Sel])
	case *ast.IndexExpr:
		return e.named(f.X)
	case *ast.IndexListExpr:
		return e.named(f.X)
	}
	return false
}

func isFunction(o types.Object) bool {
	switch o := o.(type) {
	case *types.Func:
		return o.Signature().Recv() == nil
	case *types.Builtin:
		return true
	}
	return false
}

// lines are as many line ends as there are between two places, so that what
// follows stays on its line.
func (e *editor) lines(from, to token.Pos) string {
	return strings.Repeat("\n", strings.Count(string(e.text[e.offset(from):e.offset(to)]), "\n"))
}
