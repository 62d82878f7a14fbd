package explore

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/exactlyonce/certify/soak/explore/control"
)

// T is one execution to its program.
type T struct {
	x      *control.Execution
	checks []func() error
}

// Go declares a thread. Threads start when the program returns.
func (t *T) Go(f func()) { t.x.Go(f) }

// Check adds a look at the result, after all threads have returned. It may use
// what they used; if it panics, waits for ever, or takes more than Options.Steps
// steps, that is what is wrong.
func (t *T) Check(f func() error) { t.checks = append(t.checks, f) }

// Name gives a name to what v points to, so that a story can say where a step
// was: name.field[2].
func (t *T) Name(name string, v any) {
	if t.x.Trace {
		t.x.Root(name, v)
	}
}

// Go starts f as a thread, from within a thread; elsewhere as a goroutine.
func Go(f func()) { control.Spawn(f) }

// Call runs f as one call of the program's, with a label for stories, and
// returns the times between which it took effect.
func Call(label string, f func()) (from, to int) {
	control.Label(label)
	return control.Span(f)
}

// search is a strategy at work.
type search interface {
	control.Picker
	begin(x *control.Execution)
	// next is told how the execution ended and returns whether to run another.
	next(x *control.Execution, end control.End) (bool, error)
	report(r *Report)
}

// one is held while an exploration runs: control knows one at a time.
var one sync.Mutex

// Run explores program. The error is not nil if o makes no sense or the program
// is not determined by its schedule ([ErrInvalid]); a program that fails is in
// the report. Explorations of one process run one after the other.
func Run(program func(*T), o Options) (Report, error) {
	o, err := o.withDefaults()
	if err != nil {
		return Report{}, err
	}
	one.Lock()
	defer one.Unlock()
	if stalled {
		return Report{}, fmt.Errorf("explore: after an earlier exploration: %w", ErrStalled)
	}
	r := &runner{program: program, o: o, search: o.Strategy.start(o)}
	r.x = &control.Execution{Steps: o.Steps, Spin: o.Spin, Patience: o.Patience, Persist: o.KeepGoing, RealTime: o.RealTime}
	r.t.x = r.x
	err = r.watched(r.complete)
	if stalled {
		return Report{Strategy: o.Strategy.String()}, err // the rest may still change
	}
	return r.Report, err
}

// complete is the whole exploration.
func (r *runner) complete() error {
	defer r.x.Close()
	r.Strategy = r.o.Strategy.String()
	err := r.all()
	if err == nil {
		err = r.unchanged()
	}
	r.search.report(&r.Report)
	r.Classes = len(r.classes)
	r.Held = r.x.Held
	return err
}

// runner is a Run at work.
type runner struct {
	Report
	program func(*T)
	o       Options
	x       *control.Execution
	t       T
	search  search
	classes map[uint64]bool
	runs    int  // executions begun
	cut     bool // one of them was not run to its end

	first    []control.Event // the first execution
	progress atomic.Int64    // executions begun, also those that are made again; read by watched
	previous []control.Event // the execution that solo runs were made from last
}

func (r *runner) all() error {
	start := time.Now()
	defer func() { r.Elapsed = time.Since(start) }()
	for {
		guard := r.runs < r.o.Verify || r.runs%1024 == 1023
		r.runs++
		r.x.Guard = guard
		r.search.begin(r.x)
		end := r.execute(r.search)
		if r.x.Alien() {
			return fmt.Errorf("explore: a goroutine that is no thread used a shim: %w", ErrInvalid)
		}
		stop, err := r.judge(end)
		if err != nil {
			return err
		}
		more, err := r.search.next(r.x, end)
		if err != nil {
			return err
		}
		if !more {
			r.Exhausted = (!stop || r.o.KeepGoing) && !r.cut
			return nil
		}
		if stop || r.spent(start) {
			return nil
		}
	}
}

// spent tells whether the limits are reached.
func (r *runner) spent(start time.Time) bool {
	if r.o.Executions > 0 && r.Executions >= r.o.Executions {
		return true
	}
	return r.o.Time > 0 && r.runs%64 == 0 && time.Since(start) > r.o.Time
}

func (r *runner) execute(p control.Picker) control.End {
	r.t.checks = r.t.checks[:0]
	r.progress.Add(1)
	return r.x.Execute(p, func() { r.program(&r.t) })
}

// judge counts the execution that has ended and returns whether to stop.
func (r *runner) judge(end control.End) (stop bool, err error) {
	r.MaxSteps = max(r.MaxSteps, len(r.x.Events()))
	r.Threads = max(r.Threads, r.x.Threads())
	if end == control.Stopped {
		r.SleepBlocked++
		return false, nil
	}
	r.Executions++
	r.cut = r.cut || end == control.TooLong || end == control.Livelocked
	f := r.verdict(end)
	if f == nil && r.runs > r.o.Verify && !r.o.Classes && r.o.Solo == 0 {
		return false, nil
	}
	events := append([]control.Event(nil), r.x.Events()...)
	if r.o.Classes {
		r.count(events)
	}
	if f != nil {
		r.Failures++
	}
	if r.runs == 1 {
		r.first = events
	}
	if r.runs <= r.o.Verify || f != nil && r.Failure == nil {
		if err := r.again(events, f); err != nil {
			return true, err
		}
	}
	if f == nil && r.o.Solo > 0 {
		f = r.solo(events)
	}
	if f != nil && r.Failure == nil {
		r.Failure = f
	}
	return f != nil && !r.o.KeepGoing, nil
}

func (r *runner) count(events []control.Event) {
	if r.classes == nil {
		r.classes = map[uint64]bool{}
	}
	r.classes[class(events)] = true
}

// verdict is what is wrong with the execution that has ended, or nil.
func (r *runner) verdict(end control.End) *Failure {
	f := &Failure{Execution: r.Executions}
	switch panicked := r.x.Failure(); {
	case panicked != nil:
		f.Verdict, f.Stack = Panicked, panicked.Stack
		f.Err = fmt.Errorf("thread %s: %v", control.Letter(panicked.Thread), panicked.Value)
	case end == control.Deadlocked:
		waits, nested := r.x.Stuck()
		f.Verdict, f.Err = Deadlock, errors.New(waits)
		if nested {
			f.Verdict = Leak
		}
	case end == control.Livelocked:
		f.Verdict, f.Err = Livelock, fmt.Errorf("%d steps without a store", r.o.Patience)
	case end == control.TooLong:
		f.Verdict, f.Err = TooLong, fmt.Errorf("not at the end after %d steps", r.o.Steps)
	default:
		for _, check := range r.t.checks {
			if err := r.x.Afterwards(check); err != nil {
				f.Verdict, f.Err = Wrong, err
				break
			}
		}
	}
	if f.Err == nil {
		return nil
	}
	f.Schedule = encode(r.x.Events())
	return f
}

// again runs the execution that has ended once more: it has to be the same. The
// first one, and a failure, which gets its story, run twice more, with the
// values that they see.
func (r *runner) again(events []control.Event, f *Failure) error {
	held := r.x.Held
	r.x.Trace, r.x.Guard, r.x.Sources = f != nil || r.runs == 1, false, f != nil
	defer func() { r.x.Trace, r.x.Held = false, held }()
	stories := make([][]control.Step, 1, 2)
	if r.x.Trace {
		stories = stories[:2]
	}
	for i := range stories {
		end := r.execute(&follow{events: events})
		stories[i] = r.x.Story()
		g := r.verdict(end)
		if err := same(events, r.x.Events()); err != nil {
			return err
		}
		if (f == nil) != (g == nil) || f != nil && f.Verdict != g.Verdict {
			return fmt.Errorf("explore: one schedule gave %v and %v: %w", f, g, ErrInvalid)
		}
	}
	if f != nil {
		f.Story = stories[0]
	}
	return sameValues(stories)
}

// unchanged runs the first execution once more: a program that has changed
// meanwhile is found.
func (r *runner) unchanged() error {
	if r.first == nil || r.Failure != nil {
		return nil
	}
	r.x.Guard = false
	r.execute(&follow{events: r.first})
	return same(r.first, r.x.Events())
}

func sameValues(stories [][]control.Step) error {
	for i, s := range stories[0] {
		last := stories[len(stories)-1][i]
		if a, b := fmt.Sprint(s.Op, s.Values), fmt.Sprint(last.Op, last.Values); a != b {
			return fmt.Errorf("explore: step %d was %s and %s: %w", i+1, a, b, ErrInvalid)
		}
	}
	return nil
}

// same compares two executions of one schedule.
func same(a, b []control.Event) error {
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) {
			return fmt.Errorf("explore: one schedule took %d and %d steps: %w", len(a), len(b), ErrInvalid)
		}
		if a[i] != b[i] {
			return differ(i, a[i], b[i])
		}
	}
	return nil
}

func differ(i int, a, b control.Event) error {
	return fmt.Errorf("explore: step %d was %v and %v: %w", i+1, describe(a), describe(b), ErrInvalid)
}

func describe(e control.Event) string {
	verb := "reads"
	if e.Wrote {
		verb = "writes"
	}
	return fmt.Sprintf("thread %s %s #%d", control.Letter(int(e.Thread)), verb, e.Loc)
}
