package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// whom a kill hits. Where both are hit the one that is named first goes first, and the
// other some milliseconds later, as when a service manager ends everything there is.
type whom int

const (
	theRun whom = iota
	theRepetition
	runFirst
	repetitionFirst
)

// kill is one that was drawn.
type kill struct {
	whom   whom
	signal syscall.Signal
	after  time.Duration // since the start, or since so many rows were there
	rows   int           // 0 counts from the start
	gap    time.Duration // between the two
}

func (k kill) String() string {
	name := [...]string{"the run", "the repetition", "both, the run first", "both, the repetition first"}[k.whom]
	when := "its start"
	if k.rows > 0 {
		when = fmt.Sprintf("%d more rows", k.rows)
	}
	return fmt.Sprintf("%v to %s %v after %s", k.signal, name, k.after, when)
}

// draw a kill. Some hit whatever goes on, others the moments around a record.
func (b *bench) draw(fresh bool) kill {
	k := kill{signal: b.signals[b.random.IntN(len(b.signals))]}
	switch n := b.random.IntN(20); {
	case n < 10:
	case n < 12:
		k.whom = theRepetition
	case n < 15:
		k.whom = runFirst
	default:
		k.whom = repetitionFirst
	}
	most := b.within
	if fresh {
		most *= 3
	}
	k.after = time.Duration(b.random.Int64N(int64(most)))
	if b.random.IntN(2) == 0 {
		k.rows = 1 + b.random.IntN(4)
		k.after = time.Duration(b.random.IntN(4000)) * time.Microsecond
	}
	k.gap = time.Duration(b.random.IntN(20_000)) * time.Microsecond
	return k
}

// strike waits for the moment and kills. False is that the run was over before, or
// does not end.
func (k kill) strike(p *process, dir string) bool {
	if k.rows > 0 {
		for had := lines(dir); lines(dir) < had+k.rows; time.Sleep(time.Millisecond) {
			if p.ending() {
				return false
			}
		}
	}
	time.Sleep(k.after)
	pid := p.repetition()
	for k.whom == theRepetition && pid == 0 && !p.ending() {
		pid = p.repetition()
	}
	if p.ending() {
		return false
	}
	run := p.cmd.Process.Pid
	hits := map[whom][]int{theRun: {run}, theRepetition: {pid}, runFirst: {run, pid}, repetitionFirst: {pid, run}}[k.whom]
	for i, pid := range hits {
		if i > 0 {
			time.Sleep(k.gap)
		}
		if pid > 0 {
			_ = syscall.Kill(pid, k.signal) // who is gone is gone
		}
	}
	return true
}

// lines that results.jsonl has.
func lines(dir string) int {
	data, err := os.ReadFile(filepath.Join(dir, "results.jsonl"))
	if err != nil {
		return 0
	}
	return strings.Count(string(data), "\n")
}

// wants is how a run ends that was hit. It may have been done already, or not have come
// to where it listens to signals.
func (k kill) wants(e end) want {
	if e.code >= 0 && e.verdict() != "" {
		return want{codes: []int{verdictCodes[e.verdict()]}}
	}
	code := map[syscall.Signal]int{syscall.SIGKILL: -1, syscall.SIGTERM: 143, syscall.SIGINT: 130}[k.signal]
	if code < 0 || e.code < 0 && e.took < 300*time.Millisecond {
		return want{codes: []int{-1}}
	}
	return want{codes: []int{code}, words: []string{"interrupted"}}
}

// kills takes runs through kills to their ends.
func kills(b *bench, o *outcome) {
	kinds := map[whom]int{}
	cut := 0
	for first := b.runs; o.Tried < b.kills && b.runs < first+20+b.kills; {
		r := &killed{bench: b, outcome: o, dir: b.dir()}
		for o.Tried < b.kills && len(r.kills) < 10 && !r.over {
			if !r.step() {
				break
			}
		}
		r.finish()
		for _, k := range r.kills {
			kinds[k.whom]++
		}
		if r.noRun {
			cut++
		}
		fmt.Fprintf(b.stdout, "faults: kills: %d of %d\n", o.Tried, b.kills)
	}
	o.note("%d hit the run alone, %d the repetition alone, %d both with the run first, %d both with the repetition first; %d runs",
		kinds[theRun], kinds[theRepetition], kinds[runFirst], kinds[repetitionFirst], b.runs)
	o.note("%d were hit before there was a run to resume, which both commands said", cut)
}

// killed is a run that is killed again and again.
type killed struct {
	*bench
	*outcome
	dir   string
	last  ledger
	kills []kill
	alone int  // kills of a repetition alone
	over  bool // it has come to its own end
	noRun bool // its creation was cut short
}

// next is the command that begins the run, or goes on with it.
func (r *killed) next() launch {
	if len(r.kills) > 0 {
		return r.resume(r.dir)
	}
	more := []string{}
	if r.random.IntN(4) > 0 {
		more = append(more, "--keep-going")
	}
	return r.soak(r.dir, more...)
}

// step starts the run, kills repetitions of it and in the end the run, and looks. False
// ends the run's kills.
func (r *killed) step() bool {
	p, err := r.start(r.next())
	if err != nil {
		r.trial(r.dir, []string{err.Error()})
		return false
	}
	for {
		k := r.draw(len(r.kills) == 0)
		if !k.strike(p, r.dir) {
			r.over = true
			r.concluded(p.wait())
			return false
		}
		r.kills = append(r.kills, k)
		if k.whom == theRepetition {
			r.alone++
			r.trial("", nil) // what is wrong is found at the next look
			continue
		}
		e := p.wait()
		bad := append(k.wants(e).problems(e), r.look(e)...)
		r.trial(r.label(), bad)
		return len(bad) == 0 && !r.noRun
	}
}

func (r *killed) label() string { return fmt.Sprintf("%s, after %v", filepath.Base(r.dir), r.kills) }

// look compares what is there with what was.
func (r *killed) look(e end) []string {
	now, err := readLedger(r.dir)
	if err != nil {
		if len(r.last.raw) > 0 {
			return []string{err.Error()}
		}
		r.noRun = true // so far there never was one
		return nil
	}
	bad := append(r.last.keeps(now), now.problems(e.code == 0)...)
	r.last = now
	return bad
}

// concluded holds the end of a run that came to it.
func (r *killed) concluded(e end) {
	bad := append(r.look(e), done(r.dir, e, r.alone)...)
	if len(bad) == 0 {
		bad = r.verified(r.dir, e.code)
	}
	if len(bad) > 0 {
		r.lost(r.label(), bad)
	}
}

// finish brings the run to its end, after the last kill.
func (r *killed) finish() {
	switch {
	case r.noRun:
		e := r.run(r.resume(r.dir))
		bad := want{codes: []int{2}, words: []string{"not a run, or its creation was cut short"}}.problems(e)
		if _, err := os.Stat(r.dir); err != nil {
			bad = want{codes: []int{2}, words: []string{"not the directory of a run"}}.problems(e)
		}
		if len(bad) > 0 {
			r.lost(r.label(), bad)
		}
	case !r.over:
		r.over = true
		r.concluded(r.run(r.next()))
	}
	_ = os.RemoveAll(r.dir) // what stays goes with the bench
}
