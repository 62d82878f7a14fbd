package reports

import (
	"slices"
	"strings"

	"github.com/exactlyonce/certify/reports/record"
)

// labels are the keys without what all of them share, and what that is: long
// names that differ in a word are no names to read in a chart.
func labels(groups []Group) (names []string, shared string) {
	if len(groups) < 2 {
		for _, g := range groups {
			names = append(names, g.Key.String())
		}
		return names, ""
	}
	first := groups[0].Key
	oneDrill := !slices.ContainsFunc(groups, func(g Group) bool { return g.Key.Drill != first.Drill })
	common := commonParams(groups)
	for _, g := range groups {
		var parts []string
		if !oneDrill {
			parts = append(parts, g.Key.Drill)
		}
		for _, p := range g.Key.Params {
			if !slices.Contains(common, p) {
				parts = append(parts, p.Name+"="+p.Value)
			}
		}
		names = append(names, strings.Join(parts, "/"))
	}
	var parts []string
	if oneDrill {
		parts = append(parts, first.Drill)
	}
	for _, p := range common {
		parts = append(parts, p.Name+"="+p.Value)
	}
	return names, strings.Join(parts, "/")
}

// commonParams are those of the first key that every other has with the same value.
func commonParams(groups []Group) []record.Param {
	common := slices.Clone(groups[0].Key.Params)
	for _, g := range groups[1:] {
		common = slices.DeleteFunc(common, func(p record.Param) bool { return !slices.Contains(g.Key.Params, p) })
	}
	return common
}

// allOf says in a sentence what the labels leave out.
func allOf(shared string) string {
	if shared == "" {
		return ""
	}
	return " All of them: " + shared + "."
}

// byDrill are the groups of each drill that pass, in their order.
func byDrill(groups []Group, pass func(Group) bool) (all [][]Group) {
	at := map[string]int{}
	for _, g := range groups {
		if !pass(g) {
			continue
		}
		i, known := at[g.Key.Drill]
		if !known {
			i, all = len(all), append(all, nil)
			at[g.Key.Drill] = i
		}
		all[i] = append(all[i], g)
	}
	return all
}

// param is a parameter of a key, empty when it has none of the name.
func param(k record.Key, name string) string {
	for _, p := range k.Params {
		if p.Name == name {
			return p.Value
		}
	}
	return ""
}
