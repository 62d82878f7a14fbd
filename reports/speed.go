package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/exactlyonce/certify/reports/record"
)

// Throughput is the tasks a second of each clean repetition: by the time of the
// drill where that is known, else by that of the whole process. It is empty for a
// key that does not say how many tasks it has.
func (g Group) Throughput() Series {
	tasks := float64(g.Tasks())
	return g.series(func(r record.Record) (float64, bool) {
		for _, v := range r.Values {
			if v.Unit == "task-ns" && v.Value > 0 {
				return 1e9 / v.Value, tasks > 0
			}
		}
		return tasks / (float64(r.ElapsedNs) / 1e9), tasks > 0 && r.ElapsedNs > 0
	})
}

func fast(g Group) bool { return len(g.Throughput().Values) > 0 }

// throughput is a chart a drill, from zero, for tasks of two drills are not the
// same work; drills of one key each have one chart together, on an axis on which
// each can be seen.
func throughput(r *Run) (blocks []Block) {
	var single [][]Group
	for _, groups := range byDrill(r.Groups, fast) {
		if len(groups) == 1 {
			single = append(single, groups)
			continue
		}
		blocks = append(blocks, throughputOf(groups, "Tasks a second, "+groups[0].Key.Drill, "A box a key", false))
	}
	switch groups := slices.Concat(single...); {
	case len(groups) == 1:
		blocks = append(blocks, throughputOf(groups, "Tasks a second, "+groups[0].Key.Drill, "A box", false))
	case len(groups) > 1:
		blocks = append(blocks, throughputOf(groups, "Tasks a second, of drills with one key", "Tasks of two drills are not the same work: compare each with itself in another run. A box a drill, on a logarithmic axis", true))
	}
	return blocks
}

func throughputOf(groups []Group, title, about string, log bool) *Chart {
	names, shared := labels(groups)
	return boxes(boxed{
		title: title, about: about + ": the middle half of its clean repetitions, the median, and every one as a point. More is better." + allOf(shared),
		axis: Axis{Label: "tasks a second, of the drill", Unit: "tasks/s", Log: log}, caption: "Tasks a second",
	}, groups, names, Group.Throughput)
}

// times are the durations of the processes: a chart of keys without a
// throughput, and a table of all.
func times(r *Run) (blocks []Block) {
	var slow, all []Group
	for _, g := range r.Groups {
		if len(g.Elapsed().Values) == 0 {
			continue
		}
		if all = append(all, g); !fast(g) {
			slow = append(slow, g)
		}
	}
	if len(slow) > 0 {
		names, shared := labels(slow)
		blocks = append(blocks, boxes(boxed{
			title: "Time of a repetition", about: "A box a key: the middle half of its clean repetitions, the median, and every one as a point." + allOf(shared),
			axis: Axis{Label: "seconds, of the whole process", Unit: "s"}, caption: "Time of a repetition, in seconds",
		}, slow, names, Group.Elapsed))
	}
	if len(all) > len(slow) {
		names, _ := labels(all)
		blocks = append(blocks, summaryTable("Time of a repetition, in seconds, of the whole process", all, names, Group.Elapsed))
	}
	return blocks
}

// boxed are the words of a box plot.
type boxed struct {
	title, about, caption string
	axis                  Axis
}

// boxes draws what of returns of each group. The groups are not empty.
func boxes(w boxed, groups []Group, names []string, of func(Group) Series) *Chart {
	c := &Chart{Title: w.title, About: w.about, Kind: Boxes, Y: w.axis, Table: summaryTable(w.caption, groups, names, of)}
	for i, g := range groups {
		s := of(g)
		c.Series = append(c.Series, Series2D{Name: names[i], X: s.Reps, Y: s.Values})
	}
	return c
}

func summaryTable(caption string, groups []Group, names []string, of func(Group) Series) *Table {
	t := &Table{
		Caption: caption,
		Columns: []Column{{"key", false}, {"repetitions", true}, {"least", true}, {"median", true}, {"most", true}},
	}
	for i, g := range groups {
		s := of(g)
		t.Rows = append(t.Rows, Row{Cells: []Cell{
			{Text: names[i]}, number(float64(len(s.Values))), number(slices.Min(s.Values)), number(middle(s.Values)), number(slices.Max(s.Values)),
		}})
	}
	return t
}

// subjectParams are the parameters that say what is certified, where others say
// with what.
var subjectParams = []string{"executor", "injector", "deque", "queue", "pool"}

// scalingOf is one chart: keys that differ in their subjects and workers only.
type scalingOf struct {
	title    string
	subjects []string // in their order
	points   map[string][]scalingPoint
}

type scalingPoint struct{ workers, rate, n float64 }

// scaling draws throughput over workers, where a run has several numbers of them.
func scaling(r *Run) (blocks []Block) {
	for _, s := range scalings(r.Groups) {
		if c := s.chart(); len(c.Series) > 0 {
			blocks = append(blocks, c)
		}
	}
	return blocks
}

func scalings(groups []Group) (all []*scalingOf) {
	at := map[string]*scalingOf{}
	for _, g := range groups {
		workers, err := strconv.ParseFloat(param(g.Key, "workers"), 64)
		rates := g.Throughput().Values
		if err != nil || len(rates) == 0 {
			continue
		}
		var rest, subject []string
		for _, p := range g.Key.Params {
			switch text := p.Name + "=" + p.Value; {
			case slices.Contains(subjectParams, p.Name):
				subject = append(subject, text)
			case p.Name != "workers":
				rest = append(rest, text)
			}
		}
		title := strings.Join(append([]string{g.Key.Drill}, rest...), "/")
		s := at[title]
		if s == nil {
			s = &scalingOf{title: title, points: map[string][]scalingPoint{}}
			at[title], all = s, append(all, s)
		}
		name := cmp.Or(strings.Join(subject, "/"), "all")
		if s.points[name] == nil {
			s.subjects = append(s.subjects, name)
		}
		s.points[name] = append(s.points[name], scalingPoint{workers, middle(rates), float64(len(rates))})
	}
	return all
}

func (s *scalingOf) chart() *Chart {
	c := &Chart{
		Title: "Tasks a second by workers, " + s.title, About: "Medians of the clean repetitions; a line a subject.", Kind: Lines,
		X: Axis{Label: "workers"}, Y: Axis{Label: "tasks a second, median", Unit: "tasks/s"},
		Table: &Table{
			Caption: "Tasks a second by workers",
			Columns: []Column{{"subject", false}, {"workers", true}, {"median", true}, {"times the least workers", true}, {"repetitions", true}},
		},
	}
	for _, name := range s.subjects {
		points := s.points[name]
		slices.SortFunc(points, func(a, b scalingPoint) int { return cmp.Compare(a.workers, b.workers) })
		if points[0].workers == points[len(points)-1].workers {
			continue // nothing to join
		}
		one := Series2D{Name: name}
		for _, p := range points {
			one.X, one.Y = append(one.X, p.workers), append(one.Y, p.rate)
			times := p.rate / points[0].rate
			c.Table.Rows = append(c.Table.Rows, Row{Cells: []Cell{
				{Text: name}, number(p.workers), number(p.rate), {fmt.Sprintf("%.2f", times), times}, number(p.n),
			}})
		}
		c.Series = append(c.Series, one)
	}
	return c
}
