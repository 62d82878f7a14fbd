package main

// audit is the ledger of an executor that has ended, against its counters.
func (l *life) audit() (by [kinds]count) {
	by = l.block.balance(l.stops.Load(), l.complain)
	s, t := l.pool.stats(), &l.tally
	var outside, inside, missed int
	for k, c := range by {
		switch kind(k) {
		case spawned, lightSpawned:
			inside += c.given
		case forked, looped:
		default:
			outside += c.given
		}
		if kind(k).light() {
			missed += c.cancelled
		}
	}
	failed := t.failed.Load() + t.unownedFailed.Load() + t.ownedFailed.Load()
	cancelled := t.cancelled.Load() + t.interrupted.Load() + int64(missed)
	for _, pair := range []struct {
		what      string
		got, want int64
	}{
		{"Submitted", int64(s.Submitted), int64(outside)},
		{"Spawned", int64(s.Spawned), int64(inside)},
		{"Failed", int64(s.Failed), failed},
		{"Cancelled", int64(s.Cancelled), cancelled},
		{"Completed", int64(s.Completed), int64(outside+inside) - failed - cancelled},
		{"Panics", int64(s.Panics), t.panics.Load()},
		{"Goexits", int64(s.Goexits), t.goexits.Load()},
		{"Stored, Queued, Idle and Running", int64(s.Stored + s.Queued + s.Idle + s.Running), 0},
		{"what Unhandled was told of a Stop", t.toldStopped.Load(), int64(by[alone].cancelled)},
		{"what Unhandled was told of failures", t.toldFailed.Load(), t.unownedFailed.Load()},
	} {
		if pair.got != pair.want {
			l.complain("%s: %d, want %d", pair.what, pair.got, pair.want)
		}
	}
	l.vacuous(missed)
	return by
}

// vacuous holds that what the script of a life makes certain has been there.
func (l *life) vacuous(missed int) {
	t := &l.tally
	if t.cancelled.Load() == 0 || t.interrupted.Load() == 0 || t.panics.Load() < 2 || t.goexits.Load() < 2 || t.failed.Load() == 0 {
		l.complain("vacuous: %d cancelled in the queue, %d while they ran, %d panics, %d Goexits, %d failed",
			t.cancelled.Load(), t.interrupted.Load(), t.panics.Load(), t.goexits.Load(), t.failed.Load())
	}
	if l.end == stopped && t.abandoned.Load() == 0 && missed == 0 {
		l.complain("vacuous: Stop had nothing to cancel")
	}
}
