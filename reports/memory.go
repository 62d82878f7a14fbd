package reports

import (
	"fmt"
	"strconv"

	"github.com/exactlyonce/certify/reports/record"
	"github.com/exactlyonce/certify/reports/trend"
)

// Figure is one figure of memory over the clean repetitions of a key.
type Figure struct {
	Unit  string // of bytes, such as left-B
	About string
	// Judged figures do not depend on the load of the machine: one that grows
	// from repetition to repetition is a failure.
	Judged bool
	Series
	// Fitted: there are repetitions enough for a line, which Growth is.
	Fitted bool
	Growth trend.Growth
	// PerTask is the slope in bytes a task of the repetitions, with its bounds at
	// 95 %, all 0 when not fitted.
	PerTask, PerTaskLow, PerTaskHigh float64
}

// figures are what Memory returns where a run has it, in this order.
var figures = []struct {
	unit, about string
	judged      bool
}{
	{"peak-B", "resident, at the peak", false},
	{"drained-B", "on the heap when the last task had ended, before a collection", false},
	{"live-B", "on the heap after everything was closed and collected", true},
	{"left-B", "live more after the drill than before it", true},
}

// figureMost is how much a judged figure may rise over all repetitions of a key.
// Processes of their own cannot leak into each other by memory: what grows from
// one to the next they keep elsewhere, on the disk or in the machine.
const figureMost = 1 << 20

// fitLeast is how many values a line is fitted to at least.
const fitLeast = 6

// Memory returns the figures that the clean repetitions of the key have.
func (g Group) Memory() (all []Figure) {
	for _, row := range figures {
		s := g.Of(row.unit)
		if row.unit == "peak-B" {
			s = g.Peak()
		}
		if len(s.Values) == 0 {
			continue
		}
		all = append(all, Figure{Unit: row.unit, About: row.about, Judged: row.judged, Series: s}.fit(float64(g.Tasks())))
	}
	return all
}

// fitMost is how many values a line is fitted to at most, for the work grows with
// their square: of more, as many are taken, evenly.
const fitMost = 1000

func (f Figure) fit(tasks float64) Figure {
	x, y := f.Reps, f.Values
	if n := len(x); n > fitMost {
		x, y = make([]float64, fitMost), make([]float64, fitMost)
		for i := range fitMost {
			at := int(int64(i) * int64(n-1) / (fitMost - 1))
			x[i], y[i] = f.Reps[at], f.Values[at]
		}
	}
	growth, err := trend.Judge(x, y, figureMost)
	if err != nil || len(f.Values) < fitLeast {
		return f // too few, or not finite: there is no line
	}
	f.Fitted, f.Growth = true, growth
	if tasks > 0 {
		f.PerTask, f.PerTaskLow, f.PerTaskHigh = growth.Slope/tasks, growth.Low/tasks, growth.High/tasks
	}
	return f
}

// Tasks of a repetition of the key, 0 when it does not say.
func (g Group) Tasks() int {
	for _, p := range g.Key.Params {
		if p.Name == "tasks" {
			n, _ := strconv.Atoi(p.Value) // 0 for what is no number
			return max(n, 0)
		}
	}
	return 0
}

// String is the figure's trend in a sentence.
func (f Figure) String() string {
	if !f.Fitted {
		return fmt.Sprintf("%s: too few repetitions for a trend", f.Unit)
	}
	word := "does not grow"
	if f.Growth.Grows {
		word = "grows"
	}
	return fmt.Sprintf("%s, %s, %s: %.4g B a repetition (95 %%: %.4g to %.4g), %.4g B a task, %.4g B over all; by chance %.2g",
		f.Unit, f.About, word, f.Growth.Slope, f.Growth.Low, f.Growth.High, f.PerTask, f.Growth.Grown, f.Growth.Rise)
}

// Grown returns the first judged figure that grows, which fails the key.
func (g Group) Grown() (Figure, bool) {
	for _, f := range g.Memory() {
		if f.Judged && f.Fitted && f.Growth.Grows {
			return f, true
		}
	}
	return Figure{}, false
}

// Verdict is that on the key alone.
func (g Group) Verdict() (record.Verdict, record.Reason) {
	verdict, reason := record.Judge(g.Records, g.Planned)
	if _, grows := g.Grown(); grows && verdict != record.Failed {
		return record.Failed, record.Memory
	}
	if verdict == record.Certified && g.below() {
		return record.Inconclusive, record.Floor
	}
	return verdict, reason
}
