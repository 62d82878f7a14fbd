package compare

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchmath"
	"golang.org/x/perf/benchproc"
)

// Options say what is compared with what, in benchstat's words; a zero field
// stands for benchstat's default.
type Options struct {
	Table  string // projection: a table a value; ".config"
	Row    string // a row a value; ".fullname"
	Col    string // a column a value, the first being the base; ".file"
	Ignore string // keys that are left out of all three
	Filter string // which results; "*"

	// IgnoreCPU compares what ran on different machines, or with another
	// GOMAXPROCS, as if that did not matter: the cpu line and the -N at the
	// end of a name are left out.
	IgnoreCPU bool

	Alpha      float64 // a difference is shown where p <= Alpha; 0.05
	Confidence float64 // of the intervals; 0.95
}

// Compare builds the tables. The first column in the order of the sets is what
// the others are compared with; sets of one name are one column. An error names what is wrong with the options,
// that two sets contradict each other about a unit, or that no result matches
// the filter.
func Compare(opts Options, sets ...*Set) (*Result, error) {
	opts, err := opts.complete()
	if err != nil {
		return nil, err
	}
	units, err := mergeUnits(sets)
	if err != nil {
		return nil, err
	}
	b, err := newBuilder(opts)
	if err != nil {
		return nil, err
	}
	for _, set := range sets {
		for _, r := range set.results {
			b.add(r)
		}
	}
	if len(b.tables) == 0 {
		return nil, fmt.Errorf("compare: filter %q: no result matches", opts.Filter)
	}
	return b.result(opts, units), nil
}

func (o Options) complete() (Options, error) {
	for _, d := range []struct {
		to   *string
		word string
	}{{&o.Table, ".config"}, {&o.Row, ".fullname"}, {&o.Col, ".file"}, {&o.Filter, "*"}} {
		if *d.to == "" {
			*d.to = d.word
		}
	}
	if o.IgnoreCPU {
		o.Ignore = strings.TrimPrefix(o.Ignore+",cpu,/gomaxprocs", ",")
	}
	for _, d := range []struct {
		to     *float64
		value  float64
		option string
	}{{&o.Alpha, 0.05, "alpha"}, {&o.Confidence, 0.95, "confidence"}} {
		if *d.to == 0 {
			*d.to = d.value
		}
		if !(0 < *d.to && *d.to < 1) {
			return o, fmt.Errorf("compare: %s %v: want a number between 0 and 1", d.option, *d.to)
		}
	}
	return o, nil
}

// mergeUnits refuses what benchstat would decide by the order of files.
func mergeUnits(sets []*Set) (benchfmt.UnitMetadataMap, error) {
	merged := benchfmt.UnitMetadataMap{}
	places := map[benchfmt.UnitMetadataKey]string{}
	var errs []error
	for _, set := range sets {
		for key, said := range set.units {
			if have := merged[key]; have != nil && have.Value != said.Value {
				errs = append(errs, fmt.Errorf("compare: unit %s: %s=%s at %s, but %s=%s at %s", said.OrigUnit,
					key.Key, said.Value, set.places[key], key.Key, have.Value, places[key]))
				continue
			}
			merged[key], places[key] = said, set.places[key]
		}
	}
	slices.SortFunc(errs, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return merged, errors.Join(errs...)
}

// Base is the column that all others are compared with, as in Table.Cols. A table
// whose first column is another has nothing of it, and compares its own.
func (r *Result) Base() string { return r.cols[0].StringValues() }

// builder sorts values into cells.
type builder struct {
	filter                   *benchproc.Filter
	table, row, col, residue *benchproc.Projection
	unit                     *benchproc.Field
	tables                   map[benchproc.Key]*cells
	seenCols                 map[benchproc.Key]bool
}

// place is where a cell stands in its table.
type place struct{ row, col benchproc.Key }

type cells struct {
	rows, cols map[benchproc.Key]bool
	values     map[place][]float64
	residues   map[place]map[benchproc.Key]bool
}

func newBuilder(opts Options) (*builder, error) {
	b := &builder{tables: map[benchproc.Key]*cells{}, seenCols: map[benchproc.Key]bool{}}
	var err error
	if b.filter, err = benchproc.NewFilter(opts.Filter); err != nil {
		return nil, fmt.Errorf("compare: filter: %w", err)
	}
	// One parser for all four: a key named by one is left out of the groups,
	// .config and .fullname, of the others.
	var parser benchproc.ProjectionParser
	if b.table, b.unit, err = parser.ParseWithUnit(opts.Table, b.filter); err != nil {
		return nil, fmt.Errorf("compare: table: %w", err)
	}
	if b.row, err = parser.Parse(opts.Row, b.filter); err != nil {
		return nil, fmt.Errorf("compare: row: %w", err)
	}
	if b.col, err = parser.Parse(opts.Col, b.filter); err != nil {
		return nil, fmt.Errorf("compare: col: %w", err)
	}
	if _, err = parser.Parse(opts.Ignore, b.filter); err != nil {
		return nil, fmt.Errorf("compare: ignore: %w", err)
	}
	b.residue = parser.Residue()
	return b, nil
}

func (b *builder) add(shared *benchfmt.Result) {
	r := shared.Clone() // Apply takes values away
	if ok, _ := b.filter.Apply(r); !ok {
		return
	}
	tables, at := b.table.ProjectValues(r), place{b.row.Project(r), b.col.Project(r)}
	residue := b.residue.Project(r)
	b.seenCols[at.col] = true
	for i, key := range tables {
		t := b.tables[key]
		if t == nil {
			t = &cells{map[benchproc.Key]bool{}, map[benchproc.Key]bool{}, map[place][]float64{}, map[place]map[benchproc.Key]bool{}}
			b.tables[key] = t
		}
		t.rows[at.row], t.cols[at.col] = true, true
		t.values[at] = append(t.values[at], r.Values[i].Value)
		if t.residues[at] == nil {
			t.residues[at] = map[benchproc.Key]bool{}
		}
		t.residues[at][residue] = true
	}
}

func (b *builder) result(opts Options, units benchfmt.UnitMetadataMap) *Result {
	res := &Result{opts: opts, cols: sorted(b.seenCols)}
	thresholds := benchmath.DefaultThresholds
	thresholds.CompareAlpha = opts.Alpha
	for _, key := range sorted(b.tables) {
		unit := key.Get(b.unit)
		t := &Table{
			Unit: unit, Better: units.GetBetter(unit), key: key,
			assume: units.GetAssumption(unit), alpha: opts.Alpha,
			cols: sorted(b.tables[key].cols),
		}
		t.Exact = t.assume == benchmath.AssumeExact
		for _, field := range b.table.FlattenedFields() {
			if v := key.Get(field); field.Name != ".unit" && v != "" {
				t.Config = append(t.Config, field.Name+": "+v)
			}
		}
		for _, col := range t.cols {
			t.Cols = append(t.Cols, col.StringValues())
		}
		t.fill(b.tables[key], &thresholds, opts.Confidence)
		res.Tables = append(res.Tables, t)
	}
	res.fields = b.table.FlattenedFields()
	res.Notes = notes(res)
	return res
}

func sorted[V any](m map[benchproc.Key]V) []benchproc.Key {
	keys := slices.Collect(maps.Keys(m))
	benchproc.SortKeys(keys)
	return keys
}
