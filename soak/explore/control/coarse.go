package control

// Package stands for a package of which each call is one step at one location,
// whatever it does inside: package rewrite puts it into packages that are not
// looked into. A driver may want to look into one after all: see [LookInto].
type Package struct {
	loc  Loc
	into bool
}

// packages are those that have made themselves known, while they were initialized.
var packages = map[string]*Package{}

// Coarse makes a package known by its path. It is called once for each, by a
// variable of its own.
func Coarse(path string) *Package {
	p := new(Package)
	packages[path] = p
	return p
}

// LookInto makes the steps inside of a package count, in place of its calls, from
// now on; it is no part of an execution. A package that is not known has no calls
// that count.
func LookInto(paths ...string) {
	for _, path := range paths {
		if p := packages[path]; p != nil {
			p.into = true
		}
	}
}

// Reads is how a call begins that only reads what the package stands for; any two
// of them commute. Its end is [Leave], with what Reads returned.
func (p *Package) Reads() *Thread { return p.enter(KindRead) }

// Writes is how any other call begins.
func (p *Package) Writes() *Thread { return p.enter(KindWrite) }

// enter announces the call and hides what it does: until Leave its thread is none
// to the shims, which act like the real thing. A call inside of a call is a part
// of it.
func (p *Package) enter(k Kind) *Thread {
	if p.into || current.Load() == nil {
		return nil
	}
	t := Running()
	if t == nil {
		return nil
	}
	t.announce(&p.loc, k, nil, 0)
	t.commit(k == KindWrite)
	t.inside = true
	return t
}

// Leave is the end of a call, also by a panic.
func Leave(t *Thread) {
	if t != nil {
		t.inside = false
	}
}
