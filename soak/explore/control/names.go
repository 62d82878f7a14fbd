package control

import (
	"fmt"
	"reflect"
	"strings"
)

// names finds what a location is called: its path from something that has a
// name, through fields, elements and pointers, as things are when the location
// is announced for the first time.
type names struct {
	of    []string // by location; "" if none was found
	locs  []*Loc   // by location
	roots []root
}

type root struct {
	name  string
	value reflect.Value
}

func (n *names) add(l *Loc) {
	for int(l.id) > len(n.of) {
		n.of, n.locs = append(n.of, ""), append(n.locs, nil)
	}
	n.of, n.locs = append(n.of, n.find(l)), append(n.locs, l)
}

// again looks for those that were not found.
func (n *names) again() {
	for i, l := range n.locs {
		if l != nil && n.of[i] == "" {
			n.of[i] = n.find(l)
		}
	}
}

func (n *names) find(l *Loc) string {
	s := search{target: reflect.ValueOf(l).Pointer(), seen: map[uintptr]bool{}}
	for _, r := range n.roots {
		if s.walk(r.value, r.name) {
			return s.found
		}
	}
	return ""
}

func (n *names) name(loc int32) string {
	switch {
	case loc == spawning:
		return "go"
	case loc == yielding:
		return "yield"
	case loc == recording:
		return "history"
	case int(loc) < len(n.of) && n.of[loc] != "":
		return n.of[loc]
	}
	return fmt.Sprintf("#%d", loc)
}

// search looks for the address of one location.
type search struct {
	target uintptr
	seen   map[uintptr]bool
	found  string
}

var locType = reflect.TypeFor[Loc]()

// walk looks in v, whose path is given.
func (s *search) walk(v reflect.Value, path string) bool {
	switch v.Kind() {
	case reflect.Pointer:
		return !v.IsNil() && s.enter(v.Pointer()) && s.walk(v.Elem(), path)
	case reflect.Interface:
		return !v.IsNil() && s.walk(v.Elem(), path)
	case reflect.Slice, reflect.Array:
		if k := v.Type().Elem().Kind(); k < reflect.Array || k == reflect.String {
			return false
		}
		for i := range min(v.Len(), 256) {
			if s.walk(v.Index(i), fmt.Sprintf("%s[%d]", path, i)) {
				return true
			}
		}
	case reflect.Struct:
		return s.fields(v, path)
	}
	return false
}

func (s *search) enter(address uintptr) bool {
	if s.seen[address] || len(s.seen) > 10_000 {
		return false
	}
	s.seen[address] = true
	return true
}

func (s *search) fields(v reflect.Value, path string) bool {
	t := v.Type()
	if t == locType {
		if v.CanAddr() && v.UnsafeAddr() == s.target {
			s.found = path
			return true
		}
		return false
	}
	if elem := pointee(t); elem != nil {
		p := v.FieldByName("v").UnsafePointer()
		return p != nil && s.enter(uintptr(p)) && s.walk(reflect.NewAt(elem, p).Elem(), path)
	}
	shim := strings.Contains(t.PkgPath(), "/soak/explore/")
	for i := range t.NumField() {
		below := path
		if !shim {
			below += "." + t.Field(i).Name
		}
		if s.walk(v.Field(i), below) {
			return true
		}
	}
	return false
}

// pointee is what a real atomic.Pointer points to, or nil.
func pointee(t reflect.Type) reflect.Type {
	if t.PkgPath() != "sync/atomic" || !strings.HasPrefix(t.Name(), "Pointer[") {
		return nil
	}
	return t.Field(0).Type.Elem().Elem()
}
