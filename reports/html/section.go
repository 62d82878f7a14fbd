package html

import (
	"fmt"
	"html/template"
	"math"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/exactlyonce/certify/reports"
	"github.com/exactlyonce/certify/reports/chart"
	"github.com/exactlyonce/certify/reports/record"
)

// The bounds of a page that a browser opens at once.
const (
	rowsMost   = 2000 // of a table
	chartsMost = 40
	codeMost   = 16 << 10 // bytes of a block
	textMost   = 4 << 10  // of a paragraph
	cellMost   = 500      // of a cell, a title or a caption
)

// section is a reports.Section as the template takes it.
type section struct {
	ID, Title string
	Blocks    []block
}

// block has one of its fields, and a Class where a text begins with a verdict.
type block struct {
	Text  string
	Class string
	Code  string
	Table *table
	Chart *figure
}

type figure struct {
	Title, About string
	SVG          template.HTML
	Legend       []chart.Entry // for screens on which names in the drawing are out of sight
	Table        *table
}

type table struct {
	ID, Caption string
	Columns     []reports.Column
	Rows        []row
}

type row struct {
	ID    string
	Cells []cell
}

// cell has a Key where its column is numeric: what it is sorted by.
type cell struct {
	Text, Class, Key string
	Numeric          bool
}

// builder gives ids, each once.
type builder struct {
	ids    map[string]bool
	charts int
	tables int
}

func (b *builder) sections(from []reports.Section) (all []section) {
	for _, s := range from {
		one := section{ID: b.foreign(s.ID, "section"), Title: line(s.Title)}
		for _, from := range s.Blocks {
			if block, ok := b.block(from); ok {
				one.Blocks = append(one.Blocks, block)
			}
		}
		all = append(all, one)
	}
	return all
}

func (b *builder) block(from reports.Block) (block, bool) {
	switch from := from.(type) {
	case reports.Text:
		first, _, _ := strings.Cut(string(from), " ")
		return block{Text: cut(visible(string(from)), textMost), Class: verdictClass(first)}, from != ""
	case reports.Code:
		return block{Code: lines(string(from), codeMost)}, from != ""
	case *reports.Table:
		return block{Table: b.table(from)}, from != nil
	case *reports.Chart:
		return block{Chart: b.chart(from)}, from != nil
	}
	return block{}, false
}

func (b *builder) chart(c *reports.Chart) *figure {
	if c == nil {
		return nil
	}
	b.charts++
	f := &figure{Title: line(c.Title), About: cut(visible(c.About), textMost), Table: b.table(c.Table)}
	if b.charts > chartsMost {
		f.About += fmt.Sprintf(" Not drawn: a report has at most %d charts.", chartsMost)
		return f
	}
	f.Legend = chart.Legend(c)
	// What the chart writes is escaped there.
	f.SVG = template.HTML(chart.SVG(c, b.id("chart-"+strconv.Itoa(b.charts), "chart")))
	return f
}

func (b *builder) table(from *reports.Table) *table {
	if from == nil {
		return nil
	}
	b.tables++
	t := &table{ID: b.id("table-"+strconv.Itoa(b.tables), "table"), Caption: line(from.Caption)}
	for _, c := range from.Columns {
		t.Columns = append(t.Columns, reports.Column{Name: line(c.Name), Numeric: c.Numeric})
	}
	for i, r := range from.Rows[:min(len(from.Rows), rowsMost)] {
		one := row{ID: b.foreign(r.ID, t.ID+"-"+strconv.Itoa(i+1))}
		for j, c := range r.Cells[:min(len(r.Cells), len(from.Columns))] {
			one.Cells = append(one.Cells, cellOf(c, from.Columns[j]))
		}
		t.Rows = append(t.Rows, one)
	}
	if more := len(from.Rows) - len(t.Rows); more > 0 {
		t.Caption += fmt.Sprintf(" (without %s more rows)", humanize.Comma(int64(more)))
	}
	return t
}

func cellOf(from reports.Cell, c reports.Column) cell {
	to := cell{Text: line(from.Text), Class: verdictClass(from.Text), Numeric: c.Numeric}
	if key := strconv.FormatFloat(from.Value, 'g', -1, 64); c.Numeric && key != to.Text {
		to.Key = key
	}
	if math.IsNaN(from.Value) || c.Numeric && from.Text == "none" {
		to.Key = "NaN" // sorted last, both ways
	}
	return to
}

// verdictClass is the class of a word that is a verdict.
func verdictClass(word string) string {
	var v record.Verdict
	if v.UnmarshalText([]byte(word)) != nil {
		return ""
	}
	return classes[v]
}

// foreign is an id for what others name, who must not take those of our parts.
func (b *builder) foreign(want, other string) string {
	if strings.HasPrefix(want, "table-") || strings.HasPrefix(want, "chart-") {
		want = ""
	}
	return b.id(want, other)
}

// id is want where that is a word and free, and else one made of other.
func (b *builder) id(want, other string) string {
	if b.ids == nil {
		b.ids = map[string]bool{"top": true, "filter": true, "shown": true, "main": true, "data": true}
	}
	if !isWord(want) {
		want = other
	}
	id := want
	for n := 2; b.ids[id]; n++ {
		id = want + "-" + strconv.Itoa(n)
	}
	b.ids[id] = true
	return id
}

func isWord(s string) bool {
	for _, r := range s {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_' {
			return false
		}
	}
	return s != "" && len(s) < 100
}
