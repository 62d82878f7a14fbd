package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/exactlyonce/certify/reports/record"
	"github.com/exactlyonce/certify/reports/rundir"
	"github.com/exactlyonce/certify/soak/campaign"
	"github.com/exactlyonce/certify/soak/machine"
)

// ui is the command's voice. Its rules: what happens goes to standard error,
// the result to standard output; on a terminal one line tells how far it is
// and is drawn only between repetitions, never while one is measured;
// elsewhere a plain line comes from time to time. Colour only on a terminal,
// never with NO_COLOR, and never instead of a word.
type ui struct {
	out, err io.Writer
	json     bool
	live     bool // err is a terminal
	colour   bool // out is a terminal

	began    time.Time // of the first repetition in this process
	ran      int       // since then
	lastLine time.Time
	drawn    bool // a live line stands on the terminal
}

func newUI(c *cobra.Command) *ui {
	plain := os.Getenv("NO_COLOR") != ""
	dumb := os.Getenv("TERM") == "dumb"
	return &ui{
		out: c.OutOrStdout(), err: c.ErrOrStderr(), json: asJSON(c),
		live:   isTerminal(c.ErrOrStderr()) && !dumb,
		colour: isTerminal(c.OutOrStdout()) && !dumb && !plain,
	}
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

func (u *ui) say(format string, args ...any) {
	fmt.Fprintln(u.err, harmless(fmt.Sprintf(format, args...)))
}

func (u *ui) plan(p campaign.Plan, f machine.Facts, dir string) {
	mode := "without the race detector"
	if p.Race {
		mode = "under the race detector"
	}
	u.say("certify: %s x %s tasks, %s, %s", plural(p.Reps*len(p.Cells), "repetition"), taskRange(p), drillsText(p), mode)
	if n := len(p.Canaries); n > 0 {
		u.say("certify: before them %s of known-bad subjects, which must be caught, and of controls", plural(p.CanaryReps*n, "repetition"))
	}
	u.say("certify: subjects: %s", subjects(p))
	for _, line := range skips(p) {
		u.say("certify: %s", line)
	}
	u.say("certify: machine: %s, %s, %s", f.Class(), f.Memory, f.Go)
	u.say("certify: run directory %s, seed %d", dir, p.Seed)
}

func drillsText(p campaign.Plan) string {
	names := map[string]bool{}
	for _, c := range p.Cells {
		names[c.Drill] = true
	}
	if len(names) == 1 {
		return p.Cells[0].Drill
	}
	return plural(len(names), "drill")
}

func taskRange(p campaign.Plan) string {
	least, most := p.Cells[0].Tasks, p.Cells[0].Tasks
	for _, c := range p.Cells {
		least, most = min(least, c.Tasks), max(most, c.Tasks)
	}
	if least == most {
		return humanize.Comma(int64(least))
	}
	return humanize.Comma(int64(least)) + " to " + humanize.Comma(int64(most))
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func subjects(p campaign.Plan) string {
	text := p.Key(p.Cells[0]).String()
	if n := len(p.Cells); n > 1 {
		text += fmt.Sprintf(" and %d more", n-1)
	}
	return text
}

func (u *ui) building(p campaign.Plan) {
	if p.Race {
		u.say("certify: building the runner with -race (a minute or two where that was never done, else seconds)")
		return
	}
	u.say("certify: building the runner")
}

func (u *ui) resuming(c rundir.Contents, p campaign.Plan) {
	if c.TornB > 0 {
		u.say("certify: dropped %d bytes of a record that was not finished", c.TornB)
	}
	u.say("certify: %d of %d repetitions are recorded already", len(c.Records), p.Total())
}

// Begin implements campaign.Observer.
func (u *ui) Begin(n, total int, key record.Key, rep int) {
	if u.began.IsZero() {
		u.began = time.Now()
	}
	if u.live {
		line := fmt.Sprintf("%d of %d%s  repetition %d of %s", n, total, u.left(total-n+1), rep, key)
		fmt.Fprint(u.err, "\r\x1b[K", fitted(line, width(u.err)))
		u.drawn = true
	}
}

// End implements campaign.Observer.
func (u *ui) End(n, total int, r record.Record) {
	u.ran++
	due := u.ran == 1 || n == total || n%max(total/10, 1) == 0 || time.Since(u.lastLine) > 10*time.Second
	if (r.Verdict == record.Certified || r.Key.Canary() != "") && (u.live || !due) {
		return
	}
	u.finish()
	u.lastLine = time.Now()
	left := ""
	if r.Verdict == record.Certified || r.Key.Canary() != "" { // else it most often ends here
		left = u.left(total - n)
	}
	u.say("certify: %d of %d: %s in %.2f s, peak %s%s", n, total, word(r),
		time.Duration(r.ElapsedNs).Seconds(), bytesText(float64(r.PeakB)), left)
}

func word(r record.Record) string {
	if r.Key.Canary() != "" && r.Verdict == record.Failed {
		return fmt.Sprintf("caught (%s)", r.Reason)
	}
	if r.Verdict == record.Certified {
		return "clean"
	}
	return fmt.Sprintf("%s (%s)", r.Verdict, r.Reason)
}

// width is how much fits on a terminal's line; a longer one would wrap, and the
// next could not take it away.
func width(w io.Writer) int {
	if f, ok := w.(*os.File); ok {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 1 {
			return n - 1
		}
	}
	return 79
}

func fitted(line string, most int) string {
	if len(line) <= most {
		return line
	}
	return line[:max(0, most-3)] + "..."
}

// left estimates the time for n more repetitions from those that ran.
func (u *ui) left(n int) string {
	if u.ran == 0 || n == 0 {
		return ""
	}
	each := time.Since(u.began) / time.Duration(u.ran)
	return fmt.Sprintf(", about %v left", (each * time.Duration(n)).Round(time.Second))
}

// finish takes the live line away.
func (u *ui) finish() {
	if u.drawn {
		fmt.Fprint(u.err, "\r\x1b[K")
		u.drawn = false
	}
}

// conclude prints the summary, and is its verdict as an error.
func (u *ui) conclude(s summary) error {
	if err := u.result(s); err != nil {
		return err
	}
	if s.Exit != 0 {
		return verdictError{s.Exit}
	}
	return nil
}

func (u *ui) result(s summary) error {
	if u.json {
		return printJSON(u.out, s)
	}
	var text bytes.Buffer
	s.print(&text, u.mark)
	_, err := u.out.Write(text.Bytes())
	return err
}

func (u *ui) mark(v record.Verdict) string {
	if !u.colour {
		return v.String()
	}
	colours := map[record.Verdict]string{record.Certified: "32", record.Failed: "31", record.Inconclusive: "33"}
	return "\x1b[1;" + colours[v] + "m" + v.String() + "\x1b[0m"
}
