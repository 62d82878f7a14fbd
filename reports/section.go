package reports

// Section is a part of a report, in no format yet: renderers make HTML or
// Markdown of its blocks, and know nothing of what they say.
type Section struct {
	ID     string // a word, for links
	Title  string
	Blocks []Block
}

// Block is a Text, a Code, a *Table or a *Chart.
type Block interface{ block() }

// Text is a paragraph. It is plain: nothing in it is markup.
type Text string

// Code is what is copied as it is: a command, lines of a log.
type Code string

// Table has a cell a column in each row.
type Table struct {
	Caption string
	Columns []Column
	Rows    []Row
}

// Column is a column's head.
type Column struct {
	Name    string
	Numeric bool // aligned and sorted as numbers
}

// Row is a row of a table.
type Row struct {
	ID    string // for links; may be empty
	Cells []Cell
}

// Cell is a text, and what it is sorted by in a numeric column.
type Cell struct {
	Text  string
	Value float64
}

// Chart is data with the way to draw it, and a table of the same for those who
// cannot see it.
type Chart struct {
	Title  string
	About  string // what it shows, in a sentence
	Kind   ChartKind
	X, Y   Axis
	Series []Series2D
	Table  *Table
}

// ChartKind is how a chart is drawn.
type ChartKind uint8

const (
	// Boxes: a box plot a series, of its Y, with every point beside it.
	Boxes ChartKind = iota
	// Points: every point, and the line of a series where it has one.
	Points
	// Lines: points joined in the order of X.
	Lines
	// Panels: a small picture of Points a series, side by side, all of them on
	// the same axes.
	Panels
)

// Axis is an axis of a chart.
type Axis struct {
	Label string
	Unit  string // B, s, or empty for a count: how ticks are written
	Log   bool
	// Ticks are written as they are, where there are any; the axis has others else.
	Ticks []Tick
}

// Tick is a named place on an axis.
type Tick struct {
	At   float64
	Text string
}

// Series2D is a named series of points.
type Series2D struct {
	Name string
	X, Y []float64
	// Line is a fitted line to draw through the points, or nil.
	Line *FittedLine
}

// FittedLine is Y = Offset + Slope*X, with the bounds of its slope.
type FittedLine struct{ Offset, Slope, Low, High float64 }

func (Text) block()   {}
func (Code) block()   {}
func (*Table) block() {}
func (*Chart) block() {}

// sections is what a report consists of, in its order. A section without
// blocks is left out.
var sections = []struct {
	id, title string
	build     func(*Run) []Block
}{
	{"failures", "What failed", failures},
	{"keys", "What was repeated", keys},
	{"canaries", "What had to be caught", canaries},
	{"exploration", "All orders of small programs", explorations},
	{"histories", "Histories of the bare queues", histories},
	{"warnings", "What to be careful with", warningTexts},
	{"throughput", "Throughput", throughput},
	{"scaling", "Scaling", scaling},
	{"baseline", "Against the mutex baseline", baseline},
	{"time", "Time", times},
	{"memory", "Memory", memory},
	{"floors", "Whether enough was exercised", floors},
	{"counts", "What the runs exercised", counts},
	{"method", "Machine, build and method", method},
	{"limits", "What was not checked", limits},
}

// Sections builds the report of a run.
func (r *Run) Sections() (all []Section) {
	for _, s := range sections {
		if blocks := s.build(r); len(blocks) > 0 {
			all = append(all, Section{s.id, s.title, blocks})
		}
	}
	return all
}
