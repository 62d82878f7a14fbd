package measured

import (
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchunit"

	"github.com/exactlyonce/certify/reports/compare"
)

// family is the benchmarks of one function, such as Pair, under one configuration.
type family struct {
	name, config string
	units        []string // in the order of the file
	cases        []*oneCase
}

// oneCase is a benchmark: what it measured by unit.
type oneCase struct {
	name   string // without that of the family
	params []param
	cells  map[string]*compare.Cell
	texts  map[string]string // median and interval
}

// param is a part of a name. A part without a = has no name of its own.
type param struct{ name, value string }

// maxprocs names the number at the end of a name.
const maxprocs = "GOMAXPROCS"

// familiesOf sorts what was measured, in the order in which it was.
func familiesOf(sets []*compare.Set) (all []*family, err error) {
	res, err := compare.Compare(compare.Options{Ignore: perBuild, Col: ".name", Row: ".fullname", Filter: "-.name:" + soak}, sets...)
	if err != nil {
		return nil, err
	}
	configs := map[string]bool{}
	for _, t := range res.Tables {
		configs[strings.Join(t.Config, ", ")] = true
	}
	at := map[[2]string]*family{}
	for _, t := range res.Tables {
		config := ""
		if len(configs) > 1 {
			config = strings.Join(t.Config, ", ")
		}
		for i, name := range t.Cols {
			f := at[[2]string{name, config}]
			if f == nil {
				f = &family{name: name, config: config}
				at[[2]string{name, config}], all = f, append(all, f)
			}
			f.add(t, i)
		}
	}
	forgetProcs(all)
	return all, nil
}

// forgetProcs takes GOMAXPROCS out of names where it is the same everywhere.
func forgetProcs(all []*family) {
	seen := map[string]bool{}
	for _, f := range all {
		for _, c := range f.cases {
			seen[c.joined(isProcs)] = true
		}
	}
	for _, f := range all {
		for _, c := range f.cases {
			if len(seen) == 1 {
				c.params = slices.DeleteFunc(c.params, isProcs)
			}
		}
	}
}

func isProcs(p param) bool { return p.name == maxprocs }

// add takes column i of t, which is one of benchmarks of f.
func (f *family) add(t *compare.Table, i int) {
	for _, row := range t.Rows {
		cell := row.Cells[i]
		if cell == nil {
			continue
		}
		if !slices.Contains(f.units, t.Unit) {
			f.units = append(f.units, t.Unit)
		}
		c := f.caseOf(row.Name)
		c.cells[t.Unit] = cell
		c.texts[t.Unit] = cell.Text(benchunit.CommonScale([]float64{cell.Center}, benchunit.ClassOf(t.Unit)))
	}
}

// caseOf is the case of a name such as Pair/queue=mutex/p=1-2, whose first word
// the projection may have left out.
func (f *family) caseOf(name string) *oneCase {
	name = strings.TrimPrefix(strings.TrimPrefix(name, f.name), "*")
	for _, c := range f.cases {
		if c.name == name {
			return c
		}
	}
	c := &oneCase{name: name, cells: map[string]*compare.Cell{}, texts: map[string]string{}}
	_, parts := benchfmt.Name("x" + name).Parts()
	for _, p := range parts {
		if procs, ok := strings.CutPrefix(string(p), "-"); ok {
			c.params = append(c.params, param{maxprocs, procs})
			continue
		}
		key, value, named := strings.Cut(strings.TrimPrefix(string(p), "/"), "=")
		if !named {
			key, value = "", key
		}
		c.params = append(c.params, param{key, value})
	}
	f.cases = append(f.cases, c)
	return c
}

// backends are the keys that say what is measured, where others say how.
var backends = []string{"queue", "pool", "injector", "deque", "executor", "backend", "impl"}

func isBackend(p param) bool { return slices.Contains(backends, p.name) }

// joined are the params that pass, as they stand in names.
func (c *oneCase) joined(pass func(param) bool) string {
	var parts []string
	for _, p := range c.params {
		switch {
		case !pass(p):
		case p.name == "":
			parts = append(parts, p.value)
		default:
			parts = append(parts, p.name+"="+p.value)
		}
	}
	return strings.Join(parts, "/")
}

func (c *oneCase) backend() string {
	if name := c.joined(isBackend); name != "" {
		return name
	}
	return "all"
}

// title names f with what else is to be said of it.
func (f *family) title(rest string) string {
	title := f.name
	if rest != "" {
		title += ", " + rest
	}
	if f.config != "" {
		title += " (" + f.config + ")"
	}
	return title
}
