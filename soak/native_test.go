package soak

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/executor/jobs"
	"github.com/exactlyonce/certify/executor/jobs/gate"
	"github.com/exactlyonce/certify/queues/catalog"
	"github.com/exactlyonce/certify/reports/record"
)

// trialOf is a trial on an executor of ours, to try the checks of a drill on.
func trialOf(t *testing.T) *trial {
	t.Helper()
	in, err := catalog.Injector[executor.Task]("msqueue")
	if err != nil {
		t.Fatal(err)
	}
	de, err := catalog.Deque[executor.Task]("chaselev")
	if err != nil {
		t.Fatal(err)
	}
	e := WorkStealing(in, de)
	s, err := e.New(Options{Workers: 2, Capacity: 256})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return newTrial(Spec{Tasks: 100, Batch: 10}, e, s)
}

func wantReason(t *testing.T, name string, tr *trial, want record.Reason) {
	t.Helper()
	if got := tr.found.outcome(); got.Reason != want {
		t.Errorf("%s: found %q: %s; want %q", name, got.Reason, got.Detail, want)
	}
}

// plainGate is a gate under one lock. The faults make it wrong.
type plainGate struct {
	equal, older, late, back, noContext, keepCancelled bool

	mu     sync.Mutex
	newest uint64
	ticket *plainTicket
	value  uint64
}

type plainTicket struct {
	g      *plainGate
	rev    uint64
	end    error
	ctx    context.Context
	cancel context.CancelCauseFunc
}

func (g *plainGate) revisions() revisions {
	return revisions{
		admit: g.admit,
		latest: func(int) (uint64, uint64, bool) {
			g.mu.Lock()
			defer g.mu.Unlock()
			return g.value, g.value, g.value > 0
		},
	}
}

func (g *plainGate) admit(ctx context.Context, _ int, rev uint64) (revision, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if rev == g.newest && !g.equal {
		return nil, gate.ErrDuplicateRevision
	}
	if rev < g.newest && !g.older {
		return nil, gate.ErrStaleRevision
	}
	if old := g.ticket; old != nil && old.end == nil && !g.late {
		old.stop(gate.ErrSuperseded)
	}
	g.newest = max(g.newest, rev)
	tk := &plainTicket{g: g, rev: rev}
	tk.ctx, tk.cancel = context.WithCancelCause(ctx)
	g.ticket = tk
	return tk, nil
}

func (tk *plainTicket) stop(end error) {
	if tk.end = end; !tk.g.noContext {
		tk.cancel(end)
	}
}

func (tk *plainTicket) Context() context.Context { return tk.ctx }

func (tk *plainTicket) Start() error {
	tk.g.mu.Lock()
	defer tk.g.mu.Unlock()
	return tk.end
}

func (tk *plainTicket) Publish(v uint64) error {
	g := tk.g
	g.mu.Lock()
	defer g.mu.Unlock()
	if tk.end != nil && !(g.keepCancelled && tk.end == gate.ErrCancelled) {
		return tk.end
	}
	tk.stop(gate.ErrTerminal)
	if v > g.value || g.back {
		g.value = v
	}
	return nil
}

func (tk *plainTicket) Cancel(error) bool {
	tk.g.mu.Lock()
	defer tk.g.mu.Unlock()
	if tk.end != nil {
		return false
	}
	tk.stop(gate.ErrCancelled)
	return true
}

// G1 to G5: a gate that is right passes the drill, and each that is wrong fails.
func TestGateDrillKillsG1G2G3G4G5(t *testing.T) {
	for name, c := range map[string]struct {
		gate *plainGate
		want record.Reason
	}{
		"right":                        {&plainGate{}, ""},
		"admits one twice":             {&plainGate{equal: true}, record.Duplicated},
		"admits older ones":            {&plainGate{older: true, equal: true, late: true, back: true}, record.Contract},
		"publishes what was overhaul":  {&plainGate{late: true}, record.Contract},
		"ends no context":              {&plainGate{noContext: true}, record.Contract},
		"publishes what was cancelled": {&plainGate{keepCancelled: true}, record.Contract},
	} {
		tr := trialOf(t)
		g := c.gate.revisions()
		for round := 0; round < 300 && tr.found.none(); round++ {
			tr.gateRound(g, round*gateKeys)
		}
		if o := tr.found.outcome(); (o.Reason == "") != (c.want == "") {
			t.Errorf("%s: found %q: %s; want %q", name, o.Reason, o.Detail, c.want)
		}
	}
}

var errOther = errors.New("another error")

// S1, S3: what the check of a tree of scopes must find.
func TestScopeDrillKillsS1S3(t *testing.T) {
	boom := errors.New("boom")
	tree := func(change func(root, child *branch)) (root *branch) {
		child := &branch{id: 1, runs: 1}
		root = &branch{id: 0, runs: 1, children: []*branch{child}}
		change(root, child)
		return root
	}
	for name, c := range map[string]struct {
		root *branch
		err  error
		want record.Reason
	}{
		"all is well":              {tree(func(_, _ *branch) {}), nil, ""},
		"a failure climbs":         {tree(func(_, c *branch) { c.fails = boom }), boom, ""},
		"a failure is swallowed":   {tree(func(_, c *branch) { c.fails = boom }), nil, record.Contract},
		"a failure from nowhere":   {tree(func(_, _ *branch) {}), boom, record.Contract},
		"another failure":          {tree(func(_, c *branch) { c.fails = boom }), errOther, record.Contract},
		"a supervised one climbs":  {tree(func(_, c *branch) { c.fails, c.supervised = boom, true }), boom, record.Contract},
		"a supervised one stays":   {tree(func(_, c *branch) { c.fails, c.supervised = boom, true }), nil, ""},
		"a body ran twice":         {tree(func(_, c *branch) { c.runs = 2 }), nil, record.Duplicated},
		"a body never ran":         {tree(func(_, c *branch) { c.runs = 0 }), nil, record.Lost},
		"stopped before it began":  {tree(func(r, c *branch) { c.runs, r.fails = 0, boom }), boom, ""},
		"cleanup fails the scope":  {tree(func(_, c *branch) { c.reports = boom }), boom, ""},
		"cleanup that is nowhere":  {tree(func(_, c *branch) { c.reports = boom }), nil, record.Contract},
		"cancelled by nobody":      {tree(func(_, _ *branch) {}), executor.ErrCancelled, record.Contract},
		"cancelled, not failed":    {tree(func(_, c *branch) { c.fails = boom }), errors.Join(boom, executor.ErrCancelled), record.Contract},
		"supervised, and not run":  {tree(func(_, c *branch) { c.runs, c.fails, c.supervised = 0, boom, true }), nil, ""},
		"supervised, well, no run": {tree(func(_, c *branch) { c.runs, c.supervised = 0, true }), nil, record.Lost},
	} {
		tr := trialOf(t)
		tr.checkBranch(c.root, c.err)
		tr.countBranches(c.root, len(c.root.mayFail()) > 0)
		wantReason(t, name, tr, c.want)
	}
}

// S9: what the check of resources must find.
func TestResourceDrillKillsS9(t *testing.T) {
	for name, c := range map[string]struct {
		closed []int // how often each was closed
		order  []int
		moved  int
		want   record.Reason
	}{
		"newest first":        {[]int{1, 1, 1}, []int{2, 1, 0}, 0, ""},
		"oldest first":        {[]int{1, 1, 1}, []int{0, 1, 2}, 0, record.Contract},
		"one is left":         {[]int{1, 0, 1}, []int{2, 0}, 0, record.Lost},
		"one is closed twice": {[]int{1, 2, 0}, []int{1, 1, 0}, 0, record.Duplicated},
		"moved":               {[]int{1, 1, 1}, []int{2, 1, 0}, 1, ""},
	} {
		r := &assetRound{trial: trialOf(t), order: c.order, moved: c.moved, published: len(c.closed)}
		for i, n := range c.closed {
			r.assets[i] = &asset{n: i, round: r, closed: n}
		}
		r.check()
		wantReason(t, name, r.trial, c.want)
	}
}

// V1, V2, V3, V5, V6: what the check of jobs must find. Jobs of rounds that 3
// divides fail.
func TestJobDrillKillsV1V2V3V5V6(t *testing.T) {
	completed := jobs.Outcome{End: jobs.Completed, Began: true}
	cancelled := jobs.Outcome{End: jobs.Cancelled, Began: true}
	for name, c := range map[string]struct {
		round                int
		outcome              jobs.Outcome
		ran, finals, cancels int32
		want                 record.Reason
	}{
		"completed":               {1, completed, 1, 1, 0, ""},
		"failed":                  {3, jobs.Outcome{End: jobs.Failed, Began: true}, 1, 1, 0, ""},
		"cancelled":               {1, cancelled, 1, 1, 2, ""},
		"cancelled early":         {1, jobs.Outcome{End: jobs.Cancelled}, 0, 0, 1, ""},
		"not recorded":            {1, jobs.Outcome{End: jobs.Failed, Cause: errStore}, 0, 0, 0, ""},
		"cancel undone":           {1, completed, 1, 1, 1, record.Contract},
		"cancelled by nobody":     {1, cancelled, 1, 1, 0, record.Contract},
		"ran twice":               {1, completed, 2, 1, 0, record.Duplicated},
		"finalized twice":         {1, completed, 1, 2, 0, record.Duplicated},
		"not finalized":           {1, completed, 1, 0, 0, record.Lost},
		"completed and never ran": {1, jobs.Outcome{End: jobs.Completed}, 0, 0, 0, record.Contract},
		"a failure got lost":      {3, completed, 1, 1, 0, record.Contract},
		"failed for no reason":    {1, jobs.Outcome{End: jobs.Failed, Began: true}, 1, 1, 0, record.Contract},
	} {
		r, st := &jobRound{trial: trialOf(t), round: c.round}, &jobStart{}
		st.ran.Store(c.ran)
		st.finals.Store(c.finals)
		st.cancels.Store(c.cancels)
		r.judge(st, c.outcome)
		wantReason(t, name, r.trial, c.want)
	}
	r := &jobRound{trial: trialOf(t)}
	st := &jobStart{err: jobs.ErrDuplicateID}
	st.ran.Store(1)
	r.check(st)
	wantReason(t, "refused, and ran", r.trial, record.Duplicated)
	r = &jobRound{trial: trialOf(t)}
	r.check(&jobStart{err: errOther})
	wantReason(t, "refused for no reason", r.trial, record.Contract)
}

// leaky keeps something of every task until it is closed.
type leaky struct {
	Subject
	kept [][]byte
}

func (l *leaky) Batch(n int, probe Probe, each func(i, value int, err error)) (int, error) {
	for range n {
		l.kept = append(l.kept, make([]byte, 1000))
	}
	return l.Subject.Batch(n, probe, each)
}

// X12: an executor that keeps what it ran grows within a repetition, which is
// found though Close lets go of it; one that does not is not accused. Whoever is
// not alone in the process is not judged.
func TestGrowthIsFoundX12(t *testing.T) {
	good := Goroutines()
	bad := Executor{Name: "leaky", New: func(o Options) (Subject, error) {
		s, err := good.New(o)
		return &leaky{Subject: s}, err
	}}
	spec := Spec{Tasks: 20_000, Batch: 200}
	for name, c := range map[string]struct {
		e     Executor
		alone bool
		want  record.Reason
	}{"good": {good, true, ""}, "leaky": {bad, true, record.Memory}, "leaky, not alone": {bad, false, ""}} {
		o, err := check(c.e, spec, c.alone)
		if err != nil || o.Reason != c.want {
			t.Errorf("%s: %s: %s, %v; want %q", name, o.Reason, o.Detail, err, c.want)
		}
	}
}
