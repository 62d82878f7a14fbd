package history

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/montanaflynn/stats"

	"github.com/exactlyonce/certify/reports/compare"
)

// Change is a figure that is not what it was.
type Change struct {
	At, Base   int // indices of the entries
	Name, Unit string
	Was, Is    float64 // medians
	Delta      float64 // relative to what it was
	Better     bool
	P          float64 // corrected
	Needed     float64 // the least change that counts here
}

// Changes judges every entry, in their order, against the first one since the last
// change of the same figure. All are of one class.
func Changes(entries []Entry) (changes []Change, err error) {
	base := map[string]int{} // of a figure: the entry that it is compared with
	for at, e := range entries {
		byBase := map[int][]Series{}
		for _, s := range e.Series {
			from, ok := base[s.figure()]
			if !ok {
				base[s.figure()] = at
				continue
			}
			byBase[from] = append(byBase[from], s)
		}
		found, err := judge(entries, at, byBase)
		if err != nil {
			return nil, err
		}
		for _, c := range found {
			base[Series{Name: c.Name, Unit: c.Unit}.figure()] = at
		}
		changes = append(changes, found...)
	}
	return changes, nil
}

func (s Series) figure() string { return s.Unit + " " + s.Name }

// judge compares what an entry measured with what its bases did, as one family for
// the correction if they have one base, which is the rule.
func judge(entries []Entry, at int, byBase map[int][]Series) (found []Change, err error) {
	for from, series := range byBase {
		was := Entry{Series: series}.figuresOf(entries[from])
		for _, better := range []bool{false, true} {
			worse, err := gated(was, Entry{Series: series}, better)
			if err != nil {
				return nil, fmt.Errorf("history: %s against %s: %w", entries[at].Run, entries[from].Run, err)
			}
			for _, c := range worse {
				c.At, c.Base = at, from
				found = append(found, c)
			}
		}
	}
	slices.SortFunc(found, func(a, b Change) int { return cmp.Or(cmp.Compare(a.Unit, b.Unit), cmp.Compare(a.Name, b.Name)) })
	return found, nil
}

// figuresOf is what another entry has of the figures of e.
func (e Entry) figuresOf(other Entry) (same Entry) {
	for _, s := range e.Series {
		i := slices.IndexFunc(other.Series, func(o Series) bool { return o.figure() == s.figure() })
		same.Series = append(same.Series, other.Series[i])
	}
	return same
}

// gated returns the regressions from was to is, or, of better, the other way
// round. A figure that the gate cannot judge is not a change.
func gated(was, is Entry, better bool) (found []Change, err error) {
	from, to := was, is
	if better {
		from, to = is, was
	}
	var sets []*compare.Set
	for i, e := range []Entry{from, to} {
		set, err := compare.Read(fmt.Sprint(i), strings.NewReader(e.bench()))
		if err != nil {
			return nil, err
		}
		sets = append(sets, set)
	}
	result, err := compare.Compare(compare.Options{}, sets...)
	if err != nil {
		return nil, err
	}
	decision, err := compare.Gate(result, compare.GateOptions{Threshold: Threshold, Floor: compare.Noise(result)})
	if err != nil {
		return nil, err
	}
	for _, f := range decision.Regressions {
		c := Change{Name: f.Name, Unit: f.Unit, Better: better, P: f.Adjusted, Needed: f.Needed}
		c.Was, c.Is = was.median(f.Unit, f.Name), is.median(f.Unit, f.Name)
		c.Delta = c.Is/c.Was - 1
		found = append(found, c)
	}
	return found, nil
}

// median of a figure that e has.
func (e Entry) median(unit, name string) float64 {
	for _, s := range e.Series {
		if s.Unit == unit && s.Name == name {
			m, _ := stats.Median(s.Values) // errs on no values only
			return m
		}
	}
	return 0
}
