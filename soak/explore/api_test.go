package explore_test

import (
	"go/importer"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
	"testing"
)

const here = "github.com/exactlyonce/certify/soak/explore/"

// TestAPI: the shims export what the real packages do, with the same
// signatures, and nothing else.
func TestAPI(t *testing.T) {
	if testing.Short() {
		t.Skip("reads the source of the standard library")
	}
	from := importer.ForCompiler(token.NewFileSet(), "source", nil)
	for _, test := range []struct {
		real, shim string
		partial    bool // only some of it is there
	}{
		{"sync/atomic", here + "atomic", false},
		{"sync", here + "sync", false},
		{"runtime", here + "runtime", true},
	} {
		real, shim := exports(t, from, test.real), exports(t, from, test.shim)
		if len(shim) < 2 {
			t.Errorf("%s: vacuous: %v", test.shim, shim)
		}
		for _, name := range slices.Sorted(maps.Keys(real)) {
			switch got, ok := shim[name]; {
			case !ok && !test.partial:
				t.Errorf("%s has no %s %s", test.shim, name, real[name])
			case ok && got != real[name]:
				t.Errorf("%s has %s\n%s, want\n%s", test.shim, name, got, real[name])
			}
		}
		for name := range shim {
			if real[name] == "" {
				t.Errorf("%s has no %s", test.real, name)
			}
		}
		t.Logf("%s: %d names of %d", test.shim, len(shim), len(real))
	}
}

// exports are the exported names of a package: name, or type.member -> type.
func exports(t *testing.T, from types.Importer, path string) map[string]string {
	t.Helper()
	p, err := from.Import(path)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, name := range p.Scope().Names() {
		o := p.Scope().Lookup(name)
		if !o.Exported() {
			continue
		}
		all[name] = text(o.Type())
		if _, isType := o.(*types.TypeName); isType {
			all[name] = "type"
			members(all, name, o.Type())
		}
	}
	return all
}

func members(all map[string]string, name string, of types.Type) {
	if !types.IsInterface(of) {
		of = types.NewPointer(of)
	}
	set := types.NewMethodSet(of)
	for i := range set.Len() {
		if m := set.At(i).Obj(); m.Exported() {
			all[name+"."+m.Name()] = text(set.At(i).Type())
		}
	}
	p, ok := of.(*types.Pointer)
	if !ok {
		return
	}
	if s, ok := p.Elem().Underlying().(*types.Struct); ok {
		for i := range s.NumFields() {
			if f := s.Field(i); f.Exported() {
				all[name+"."+f.Name()] = text(f.Type())
			}
		}
	}
}

// text writes a type without names of parameters and the shims' paths.
func text(t types.Type) string {
	if s, ok := t.(*types.Signature); ok {
		t = types.NewSignatureType(nil, nil, typeParams(s), unnamed(s.Params()), unnamed(s.Results()), s.Variadic())
	}
	return types.TypeString(t, func(p *types.Package) string { return strings.TrimPrefix(p.Path(), here) })
}

func typeParams(s *types.Signature) (all []*types.TypeParam) {
	for i := range s.TypeParams().Len() {
		p := s.TypeParams().At(i)
		all = append(all, types.NewTypeParam(types.NewTypeName(0, nil, p.Obj().Name(), nil), p.Constraint()))
	}
	return all
}

func unnamed(t *types.Tuple) *types.Tuple {
	var all []*types.Var
	for v := range t.Variables() {
		all = append(all, types.NewVar(0, nil, "", v.Type()))
	}
	return types.NewTuple(all...)
}
