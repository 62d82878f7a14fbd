package protocol

import (
	"errors"
	"fmt"

	"github.com/exactlyonce/certify/executor/jobs/gate"
	"github.com/exactlyonce/certify/soak/explore"
	"github.com/exactlyonce/certify/soak/explore/atomic"
)

const key = "k"

// door is a gate in one execution, with what became of each revision of its key; the
// value that a revision publishes is its number.
type door struct {
	*gate.Gate[string, int]
	admitted, started, published, failed, cancelled [4]int // by revision: how many calls were told so
	tickets                                         [4]*gate.Ticket[string, int]
	faults                                          []error
	forgotten                                       atomic.Bool
}

func newDoor() *door { return &door{Gate: gate.New[string, int]()} }

func (d *door) fault(format string, args ...any) {
	d.faults = append(d.faults, fmt.Errorf(format, args...))
}

// told counts a call that was told yes, or holds its refusal against those there are.
func (d *door) told(yes *int, err error, refusals ...error) {
	if err == nil {
		*yes++
		return
	}
	for _, r := range refusals {
		if errors.Is(err, r) {
			return
		}
	}
	d.fault("refused by %w", err)
}

func (d *door) admit(rev int) bool {
	var err error
	explore.Call(fmt.Sprint("admit ", rev), func() {
		var t *gate.Ticket[string, int]
		if t, err = d.Admit(background, key, uint64(rev)); err == nil {
			d.tickets[rev] = t
		}
		d.told(&d.admitted[rev], err, gate.ErrStaleRevision)
	})
	return err == nil
}

// The errors of who comes too late.
var late = []error{gate.ErrSuperseded, gate.ErrCancelled, gate.ErrTerminal, gate.ErrForgotten}

func (d *door) start(rev int) (err error) {
	explore.Call(fmt.Sprint("start ", rev), func() {
		err = d.tickets[rev].Start()
		d.told(&d.started[rev], err, append(late, gate.ErrStarted)...)
	})
	return err
}

// publish publishes and reads: what a winner sees is its own or newer.
func (d *door) publish(rev int) {
	explore.Call(fmt.Sprint("publish ", rev), func() {
		err := d.tickets[rev].Publish(rev)
		d.told(&d.published[rev], err, append(late, gate.ErrNotStarted)...)
		if v, r, ok := d.Latest(key); err == nil && !d.forgotten.Load() && (!ok || v < rev || uint64(v) != r) {
			d.fault("revision %d was published, and the latest is %d", rev, v)
		}
	})
}

func (d *door) fail(rev int) {
	explore.Call(fmt.Sprint("fail ", rev), func() {
		d.told(&d.failed[rev], d.tickets[rev].Fail(nil), append(late, gate.ErrNotStarted)...)
	})
}

func (d *door) cancel(rev int) {
	explore.Call(fmt.Sprint("cancel ", rev), func() {
		if d.tickets[rev].Cancel(nil) {
			d.cancelled[rev]++
		}
	})
}

// work admits, starts and publishes.
func (d *door) work(rev int) {
	if d.admit(rev) && d.start(rev) == nil {
		d.publish(rev)
	}
}

// reading looks at the latest, which never goes back.
func (d *door) reading(times int) {
	last := 0
	for range times {
		explore.Call("latest", func() {
			v, rev, _ := d.Latest(key)
			if v < last || uint64(v) != rev {
				d.fault("read revision %d with the value of %d after %d", rev, v, last)
			}
			last = v
		})
	}
}

// judge holds what the calls were told against the laws, at rest.
func (d *door) judge() error {
	newest, published := 0, 0
	for rev := range d.tickets {
		if d.admitted[rev] > 0 {
			newest = rev
		}
		if d.published[rev] > 0 {
			published = rev
		}
		if n := d.admitted[rev]; n > 1 {
			d.fault("revision %d was admitted %d times", rev, n)
		}
		if n := d.started[rev]; n > 1 {
			d.fault("revision %d was started %d times", rev, n)
		}
		if n := d.published[rev] + d.failed[rev] + d.cancelled[rev]; n > 1 {
			d.fault("revision %d ended %d times", rev, n)
		}
	}
	if v, rev, _ := d.Latest(key); !d.forgotten.Load() && (v != published || rev != uint64(published)) {
		d.fault("the latest at rest is %d, and %d was published last", v, published)
	}
	for rev, t := range d.tickets {
		ended := rev < newest || d.published[rev]+d.failed[rev]+d.cancelled[rev] > 0 || d.forgotten.Load()
		if t != nil && d.admitted[rev] > 0 && ended && t.Context().Err() == nil {
			d.fault("the context of revision %d goes on", rev)
		}
	}
	return errors.Join(d.faults...)
}

// passage is a program: what is done before, and by each thread.
type passage struct {
	name    string
	before  func(d *door)
	threads []func(d *door)
	want    func(d *door) error // besides the laws
}

func passages() []passage {
	running := func(d *door) { d.admit(1); _ = d.start(1) }
	pending := func(d *door) { d.admit(1) }
	return []passage{
		{"publish-cancel-admit", running, []func(*door){
			func(d *door) { d.publish(1) }, func(d *door) { d.cancel(1) }, func(d *door) { d.admit(2) },
		}, oneWins},
		{"publish-publish-fail", running, []func(*door){
			func(d *door) { d.publish(1) }, func(d *door) { d.publish(1) }, func(d *door) { d.fail(1) },
		}, oneWins},
		{"start-start-cancel", pending, []func(*door){
			func(d *door) { _ = d.start(1) }, func(d *door) { _ = d.start(1) }, func(d *door) { d.cancel(1) },
		}, nil},
		{"two-revisions", func(*door) {}, []func(*door){
			func(d *door) { d.work(1) }, func(d *door) { d.work(2) },
		}, newestPublishes(2)},
		{"two-revisions-reader", func(*door) {}, []func(*door){
			func(d *door) { d.work(1) }, func(d *door) { d.work(2) }, func(d *door) { d.reading(3) },
		}, newestPublishes(2)},
		{"three-revisions", running, []func(*door){
			func(d *door) { d.publish(1) }, func(d *door) { d.work(2) }, func(d *door) { d.work(3) },
		}, newestPublishes(3)},
		{"publish-forget", running, []func(*door){
			func(d *door) { d.publish(1) }, func(d *door) { d.forgotten.Store(true); d.Forget(key) },
		}, nil},
	}
}

// oneWins: of a publish, a fail, a cancel and a newer revision at least one decided.
func oneWins(d *door) error {
	if d.published[1]+d.failed[1]+d.cancelled[1]+d.admitted[2] == 0 {
		return errors.New("everybody was refused")
	}
	return nil
}

// newestPublishes: nothing is in the way of the newest revision.
func newestPublishes(rev int) func(*door) error {
	return func(d *door) error {
		if d.admitted[rev] != 1 || d.published[rev] != 1 {
			return fmt.Errorf("the newest revision, %d, was admitted %d times and published %d times", rev, d.admitted[rev], d.published[rev])
		}
		return nil
	}
}

func gates() (all []*program) {
	for _, s := range passages() {
		counts := tally{}
		all = append(all, &program{
			protocol: "gate", name: s.name, threads: len(s.threads), counts: counts,
			body: func(t *explore.T) { s.body(t, counts) },
		})
	}
	return all
}

func (s passage) body(t *explore.T, counts tally) {
	d := newDoor()
	s.before(d)
	for _, f := range s.threads {
		t.Go(func() { f(d) })
	}
	t.Check(func() error {
		counts.meet("published", d.published != [4]int{})
		counts.meet("cancelled", d.cancelled != [4]int{})
		counts.meet("superseded", d.admitted[1] > 0 && d.admitted[2] > 0 && d.published[1]+d.cancelled[1] == 0)
		if s.want != nil {
			if err := s.want(d); err != nil {
				return err
			}
		}
		return d.judge()
	})
}
