package main

import (
	"fmt"
	"syscall"
	"time"
)

// explorers kill a whole certificate's run, with canaries and explorations, while the
// runner is built and while a queue is explored, and then let it come to its end.
func explorers(b *bench, o *outcome) {
	dir := b.dir()
	l := launch{args: []string{"run", "--preset", "quick", "--drill", "exactly-once", "--tasks", "2000", "--low-water", "0", "--keep-going", "--out", dir}}
	o.trial("killed while a program is explored", explorerKilled(b, l, dir, syscall.SIGKILL))
	o.trial("ended while a program is explored", explorerKilled(b, b.resume(dir), dir, syscall.SIGTERM))
	before, err := readLedger(dir)
	if err != nil {
		o.trial("gone on with", []string{err.Error()})
		return
	}
	e := b.run(b.resume(dir))
	o.trial("gone on with", explored(dir, e, before))
	o.note("gone on with, its verdict was %s", e.verdict())
}

// explored holds a run with canaries that came to its end. Whether each known-bad subject
// is caught is not asked here: one that is not makes it INCONCLUSIVE, rightly.
func explored(dir string, e end, before ledger) []string {
	bad := want{codes: []int{0, 3}}.problems(e)
	if e.verdict() == "INCONCLUSIVE" {
		bad = append(bad, want{codes: []int{3}, words: []string{"INCONCLUSIVE (canary)"}}.problems(e)...)
	}
	after, err := readLedger(dir)
	if err != nil {
		return append(bad, err.Error())
	}
	for _, r := range after.failed() {
		bad = append(bad, fmt.Sprintf("repetition %d of %s is %s (%s): %s", r.Rep, r.Key, r.Verdict, r.Reason, r.Detail))
	}
	return append(append(bad, before.keeps(after)...), after.problems(true)...)
}

// explorerKilled signals the run once the explorer is there.
func explorerKilled(b *bench, l launch, dir string, signal syscall.Signal) []string {
	before, _ := readLedger(dir) // none, at first
	p, err := b.start(l)
	if err != nil {
		return []string{err.Error()}
	}
	for ; p.running("explorer.bin") == 0; time.Sleep(5 * time.Millisecond) {
		if p.ending() {
			return []string{"nothing was explored: " + tail(p.wait().err)}
		}
	}
	k := kill{signal: signal}
	if !k.strike(p, dir) {
		return []string{"it was over before"}
	}
	e := p.wait()
	after, err := readLedger(dir)
	if err != nil {
		return []string{fmt.Sprintf("no rows: %v", err)}
	}
	return append(append(k.wants(e).problems(e), before.keeps(after)...), after.problems(false)...)
}
