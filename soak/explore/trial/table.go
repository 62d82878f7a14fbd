package trial

import (
	"fmt"
	"strings"

	"github.com/exactlyonce/certify/soak/explore"
	"github.com/exactlyonce/certify/soak/explore/control"
)

// Table writes a failure as a table: a column for each thread, a row for each
// step, and what replays it.
func Table(p Program, f *explore.Failure) string {
	rows := [][]string{{""}}
	threads := p.Threads()
	for _, step := range f.Story {
		threads = max(threads, int(step.Thread)+1)
	}
	for t := range threads {
		rows[0] = append(rows[0], "thread "+control.Letter(t))
	}
	last := make([]int, threads)
	for i, step := range f.Story {
		if t := step.Thread; step.Call != last[t] {
			last[t] = step.Call
			rows = append(rows, row(threads, int(t), "", step.Span+":"))
		}
		rows = append(rows, row(threads, int(step.Thread), fmt.Sprint(i+1), "  "+phrase(step)))
	}
	var b strings.Builder
	write(&b, rows)
	fmt.Fprintf(&b, "%v\nprogram %v, schedule %s\n", f.Err, p, f.Schedule)
	return b.String()
}

// phrase is one step in words: place.op(values) file:line.
func phrase(s control.Step) string {
	text := s.Place + " " + s.Op
	if len(s.Values) > 0 {
		text += " " + strings.Join(s.Values, " ")
	}
	return text + "  " + s.Source
}

func row(threads, t int, number, text string) []string {
	cells := make([]string, threads+1)
	cells[0], cells[t+1] = number, text
	return cells
}

// write lines the columns up. The last one is left as it is.
func write(b *strings.Builder, rows [][]string) {
	width := make([]int, len(rows[0]))
	for _, r := range rows {
		for i, cell := range r {
			width[i] = max(width[i], len(cell))
		}
	}
	for _, r := range rows {
		line := ""
		for i, cell := range r {
			line += fmt.Sprintf("%-*s  ", width[i], cell)
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}
