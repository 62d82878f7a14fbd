package protocol

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/exactlyonce/certify/executor/lifecycle"
	"github.com/exactlyonce/certify/soak/explore"
)

// TestPrograms: each has a name of its own, of its protocol.
func TestPrograms(t *testing.T) {
	for _, protocol := range Names() {
		seen := map[string]bool{}
		for _, p := range programs(protocol) {
			if p.protocol != protocol || seen[p.name] || p.threads < 1 {
				t.Errorf("%s: %+v", protocol, p)
			}
			seen[p.name] = true
		}
		if len(seen) < 5 {
			t.Errorf("%s: %d programs", protocol, len(seen))
		}
	}
	if programs("x") != nil {
		t.Error("programs of nothing")
	}
}

// TestMainFunction: one program, without the shims underneath, and what is not there.
func TestMainFunction(t *testing.T) {
	var out, words bytes.Buffer
	if code := Main([]string{"-protocol", "gate", "-scenario", "publish-forget"}, &out, &words); code != 0 || strings.Count(out.String(), "\n") != 1 {
		t.Errorf("code %d: %s%s", code, &out, &words)
	}
	for _, args := range [][]string{{"-protocol", "x"}, {"-protocol", "gate", "-scenario", "x"}, {"-replay", "a"}, {"-nothing"}} {
		words.Reset()
		if code := Main(args, &out, &words); code != 2 || words.Len() == 0 {
			t.Errorf("%v: code %d", args, code)
		}
	}
}

// TestArrows: those that are drawn, and none else.
func TestArrows(t *testing.T) {
	const queued, idle, running, completed = lifecycle.Queued, lifecycle.Idle, lifecycle.Running, lifecycle.Completed
	for _, row := range []struct {
		call, answer string
		g            lifecycle.Gen
		from         lifecycle.State
		h            lifecycle.Gen
		to           lifecycle.State
		ok           bool
	}{
		{"claim", "true", 0, queued, 0, running, true},
		{"claim", "false", 0, idle, 0, idle, true},
		{"claim", "true", 0, idle, 0, running, false},
		{"claim", "false", 0, queued, 0, queued, false},
		{"claim", "true", 1, queued, 1, running, false},
		{"claim of the next", "true", 1, queued, 1, running, true},
		{"wake", "false", 0, running, 0, running, false},
		{"finish", notMine, 0, running, 0, running, true},
		{"finish", "true", 0, running, 0, completed, true},
		{"recycle", "done", 0, completed, 1, queued, true},
		{"recycle", "done", 0, completed, 0, queued, false},
		{"cancel", "won", 0, completed, 0, lifecycle.Cancelled, false},
	} {
		if err := drawn(row.call, row.answer, row.g, row.from, row.h, row.to); (err == nil) != row.ok {
			t.Errorf("%+v: %v", row, err)
		}
	}
}

// TestJudge: what an executor must not do with tasks.
func TestJudge(t *testing.T) {
	for _, row := range []struct {
		task  func(*task)
		wants string
	}{
		{func(t *task) { t.accepted, t.resolved, t.value = true, true, 7; t.ran.Store(1) }, ""},
		{func(t *task) { t.accepted, t.resolved, t.value = true, true, 7; t.ran.Store(2) }, "too often"},
		{func(t *task) { t.accepted, t.resolved, t.value = true, true, 7 }, "is lost"},
		{func(t *task) { t.accepted = true; t.ran.Store(1) }, "is lost"},
		{func(t *task) { t.ran.Store(1) }, "was refused and ran"},
		{func(t *task) { t.err = explore.ErrInvalid }, "was refused by"},
		{func(t *task) { t.accepted, t.resolved, t.err = true, true, explore.ErrInvalid }, "ended with"},
	} {
		one := new(task)
		row.task(one)
		err := (&pool{tasks: []*task{one}}).judge(false)
		if (err == nil) != (row.wants == "") || err != nil && !strings.Contains(err.Error(), row.wants) {
			t.Errorf("%v, want %q", err, row.wants)
		}
	}
	late := new(pool)
	late.late.Store(true)
	if late.judge(false) == nil {
		t.Error("a run after the end is fine")
	}
}

// TestDoor: what a gate must not tell.
func TestDoor(t *testing.T) {
	for name, spoil := range map[string]func(*door){
		"started 2":   func(d *door) { d.started[1] = 2 },
		"ended 2":     func(d *door) { d.published[1], d.cancelled[1] = 1, 1 },
		"admitted 2":  func(d *door) { d.admitted[2] = 2 },
		"the latest":  func(d *door) { d.published[2] = 1 },
		"goes on":     func(d *door) { d.admit(1); d.admitted[2] = 1 },
		"refused by ": func(d *door) { d.told(new(int), explore.ErrInvalid, late...) },
	} {
		d := newDoor()
		spoil(d)
		if err := d.judge(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	d := newDoor()
	d.work(1)
	d.work(2)
	if err := d.judge(); err != nil || newestPublishes(2)(d) != nil || newestPublishes(3)(d) == nil || oneWins(newDoor()) == nil {
		t.Error(err)
	}
}

// TestSequences: the answers of all orders, counted by hand.
func TestSequences(t *testing.T) {
	l := life{threads: [][]step{{claim, finish}, {cancel}}}
	all, err := l.sequences()
	var got []string
	for end := range all {
		got = append(got, end)
	}
	slices.Sort(got)
	want := []string{
		"claim false, finish not mine | cancel won from queued -> 0 cancelled",
		"claim true, finish false | cancel won from running -> 0 cancelled",
		"claim true, finish true | cancel lost to completed -> 0 completed",
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}
