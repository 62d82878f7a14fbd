package measured

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strconv"

	"github.com/exactlyonce/certify/reports"
)

// quantile is a unit that says which part of all latencies is below it.
type quantile struct {
	unit, name string
	// at is the number of nines, where the axis grows as evenly as the care for
	// the rare ones: 0.3 for p50, 1 for p90, 3 for p99.9.
	at float64
}

// quantileUnit is of a latency in seconds; one of zeros alone stays in ns.
var quantileUnit = regexp.MustCompile(`^(?:p([0-9]+(?:\.[0-9]+)?)|(max))-(sec|ns)$`)

// quantilesOf are those among units, rising. The greatest stands one beyond the
// last of them: how rare it is depends on the number of samples.
func quantilesOf(units []string) (all []quantile) {
	most := ""
	for _, u := range units {
		m := quantileUnit.FindStringSubmatch(u)
		if m == nil {
			continue
		}
		if m[2] != "" {
			most = u
			continue
		}
		if percent, err := strconv.ParseFloat(m[1], 64); err == nil && percent < 100 {
			all = append(all, quantile{u, "p" + m[1], math.Round(-1e6*math.Log10(1-percent/100)) / 1e6})
		}
	}
	slices.SortStableFunc(all, func(a, b quantile) int { return cmp.Compare(a.at, b.at) })
	if most != "" && len(all) > 0 {
		all = append(all, quantile{most, "max", all[len(all)-1].at + 1})
	}
	return all
}

// latency has a chart for all cases that differ in their back end only.
func latency(_ Input, families []*family) (blocks []reports.Block, err error) {
	for _, f := range families {
		quantiles := quantilesOf(f.units)
		if len(quantiles) < 2 {
			continue
		}
		at := map[string]*reports.Chart{}
		for _, c := range f.cases {
			rest := c.joined(func(p param) bool { return !isBackend(p) })
			chart := at[rest]
			if chart == nil {
				title := f.title(rest)
				if f.name != "Latency" {
					title = "Latency: " + title
				}
				chart = curves(title, quantiles)
				at[rest] = chart
				blocks = append(blocks, chart)
			}
			addCurve(chart, c, quantiles)
		}
	}
	return blocks, nil
}

func curves(title string, quantiles []quantile) *reports.Chart {
	c := &reports.Chart{
		Title: title, About: "Medians of the percentiles of the samples, a curve a back end; each step to the right is a rarer delay. Less is better.",
		Kind: reports.Lines, X: reports.Axis{Label: "percentile"}, Y: reports.Axis{Label: "latency, logarithmic", Unit: "s", Log: true},
		Table: &reports.Table{Caption: "Latency in seconds", Columns: []reports.Column{{Name: "back end"}}},
	}
	for _, q := range quantiles {
		c.X.Ticks = append(c.X.Ticks, reports.Tick{At: q.at, Text: q.name})
		c.Table.Columns = append(c.Table.Columns, reports.Column{Name: q.name, Numeric: true})
	}
	return c
}

func addCurve(chart *reports.Chart, c *oneCase, quantiles []quantile) {
	one := reports.Series2D{Name: c.backend()}
	cells := []reports.Cell{{Text: one.Name}}
	for _, q := range quantiles {
		cell := c.cells[q.unit]
		if cell == nil {
			cells = append(cells, none())
			continue
		}
		one.X, one.Y = append(one.X, q.at), append(one.Y, cell.Center)
		cells = append(cells, reports.Cell{Text: c.texts[q.unit], Value: cell.Center})
	}
	if len(one.Y) > 0 {
		chart.Series = append(chart.Series, one)
		chart.Table.Rows = append(chart.Table.Rows, reports.Row{Cells: cells})
	}
}
