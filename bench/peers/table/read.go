package table

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"
)

// measured is what a benchmark file holds.
type measured struct {
	config map[string]string
	works  map[string][]*arm // by the name without pool and language; in the order of the file
}

// arm is a pool at a work.
type arm struct {
	pool   string
	native bool
	values map[string][]float64 // by unit
}

var (
	poolKey    = regexp.MustCompile(`/pool=([^/]+)`)
	nativeKey  = regexp.MustCompile(`/native=[^/]+`)
	processors = regexp.MustCompile(`-[0-9]+$`)
)

func read(raw io.Reader) (*measured, error) {
	m := &measured{config: map[string]string{}, works: map[string][]*arm{}}
	in := benchfmt.NewReader(raw, "raw")
	for in.Scan() {
		switch r := in.Result().(type) {
		case *benchfmt.SyntaxError:
			return nil, fmt.Errorf("table: read: %w", r)
		case *benchfmt.Result:
			m.add(r)
		}
	}
	if err := in.Err(); err != nil {
		return nil, fmt.Errorf("table: read: %w", err)
	}
	if len(m.works) == 0 {
		return nil, fmt.Errorf("table: read: no results")
	}
	return m, nil
}

func (m *measured) add(r *benchfmt.Result) {
	for _, c := range r.Config {
		m.config[c.Key] = string(c.Value)
	}
	name := processors.ReplaceAllString(string(r.Name), "")
	pool := poolKey.FindStringSubmatch(name)
	if pool == nil {
		return
	}
	native := nativeKey.MatchString(name)
	work := nativeKey.ReplaceAllString(poolKey.ReplaceAllString(name, ""), "")
	a := m.find(work, pool[1])
	if a == nil {
		a = &arm{pool[1], native, map[string][]float64{}}
		m.works[work] = append(m.works[work], a)
	}
	for _, v := range r.Values {
		unit, value := v.Unit, v.Value
		if v.OrigUnit != "" { // the reader prefers seconds
			unit, value = v.OrigUnit, v.OrigValue
		}
		a.values[unit] = append(a.values[unit], value)
	}
}

func (m *measured) find(work, pool string) *arm {
	for _, a := range m.works[work] {
		if a.pool == pool {
			return a
		}
	}
	return nil
}

// family is the works of one name, by the number of workers and other keys.
func (m *measured) family(prefix string) (works []string) {
	for w := range m.works {
		if strings.HasPrefix(w+"/", prefix+"/") {
			works = append(works, w)
		}
	}
	slices.Sort(works)
	return works
}

// median is that of all values of a unit; ok is false if there are none.
func (a *arm) median(unit string) (v float64, ok bool) {
	all := slices.Sorted(slices.Values(a.values[unit]))
	n := len(all)
	if n == 0 {
		return 0, false
	}
	return (all[(n-1)/2] + all[n/2]) / 2, true
}

func (a *arm) least(unit string) float64 { return slices.Min(a.values[unit]) }

// ours, and what is no pool but gives the others a scale.
func (a *arm) ours() bool { return a.pool == "certify" || strings.HasPrefix(a.pool, "certify.") }

func (a *arm) scale() bool {
	return slices.Contains([]string{"serial", "handover", "none", "null"}, a.pool)
}

func (a *arm) peer() bool { return !a.ours() && !a.native && !a.scale() }
