package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/executor/jobs"
)

// snapshot is a store as a crash leaves it: what another one has kept so far.
func snapshot(t *testing.T, from jobs.Store) *badStore {
	t.Helper()
	stored, err := from.Load()
	if err != nil {
		t.Fatal(err)
	}
	var s badStore
	for _, r := range stored.Records {
		if err := s.Memory.Put(r); err != nil {
			t.Fatal(err)
		}
	}
	return &s
}

// What a crash leaves at each point of a job's life, and what is recovered.
func TestRecoveryAfterEveryStepV7(t *testing.T) {
	for _, row := range []struct {
		at                             string
		finished, interrupted, pending int
	}{
		{"reservation is written", 0, 0, 0},
		{"beginning is written", 0, 0, 1},
		{"body", 0, 1, 0},
		{"finalize", 0, 1, 0},
		{"end is written", 0, 1, 0},
		{"", 1, 0, 0},
	} {
		s := stage{row.at, make(chan struct{}), make(chan struct{})}
		store := s.store()
		r := newRig(t, 1, jobs.Config{Store: store})
		began := false
		done := make(chan *jobs.Handle, 1)
		go func() { done <- r.start(t, "a", s.job(ways["completed"].run, &began)) }()
		if row.at == "" {
			(<-done).Wait(background)
		} else {
			<-s.there
		}
		crashed := snapshot(t, store)
		close(s.leave)
		next := newRig(t, 1, jobs.Config{Store: crashed})
		got := next.recovered
		if len(got.Finished) != row.finished || len(got.Interrupted) != row.interrupted || len(got.Pending) != row.pending {
			t.Errorf("crash at %q: %s", row.at, got)
		}
		if n := len(next.List()); n != 0 {
			t.Errorf("crash at %q: %d jobs were started by themselves", row.at, n)
		}
		if _, err := next.start(t, "a", quick("")).Wait(background); err != nil {
			t.Errorf("crash at %q: retry: %v", row.at, err)
		}
	}
}

// Outcomes come back as they were, errors as their text.
func TestRecoveredOutcomesV5V7(t *testing.T) {
	store := &badStore{}
	r := newRig(t, 1, jobs.Config{Store: store})
	r.start(t, "well", quick("\x00output")).Wait(background)
	r.start(t, "badly", jobs.Job{
		Run:      func(context.Context, *executor.Worker) ([]byte, error) { return nil, errBody },
		Finalize: func(context.Context, jobs.Outcome) error { return errCopy },
	}).Wait(background)
	r.start(t, "silent", jobs.Job{
		Run: func(context.Context, *executor.Worker) ([]byte, error) { return nil, errors.New("") },
	}).Wait(background)
	got := newRig(t, 1, jobs.Config{Store: snapshot(t, store)}).recovered
	var lines []string
	for _, f := range got.Finished {
		o := f.Outcome
		lines = append(lines, fmt.Sprintf("%s %s %v %q: %v, %v", f.ID, o.End, o.Began, o.Output, o.Cause, o.Finalize))
	}
	want := []string{
		`badly failed true "": the body failed, no room for artifacts`,
		`silent failed true "": error without text, <nil>`,
		`well completed true "\x00output": <nil>, <nil>`,
	}
	if !slices.Equal(lines, want) {
		t.Errorf("got %q", lines)
	}
}

func TestRecoverySentenceV7(t *testing.T) {
	for want, r := range map[string]jobs.Recovery{
		"nothing to recover": {},
		`recovered 1 finished, 1 interrupted ("b") and 0 pending`: {
			Finished: []jobs.Finished{{ID: "a"}}, Interrupted: []string{"b"},
		},
		`recovered 0 finished, 0 interrupted and 7 pending ("a", "b", "c", "d", "e" and 2 more); dropped 9 bytes of an unfinished record`: {
			Pending: strings.Split("abcdefg", ""), DroppedB: 9,
		},
	} {
		if got := r.String(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// badLoad is a store with a Load of its own.
type badLoad struct {
	jobs.Memory
	load func() (jobs.Stored, error)
}

func (s *badLoad) Load() (jobs.Stored, error) { return s.load() }

func TestBadLoadsV7(t *testing.T) {
	for name, records := range map[string][]jobs.Record{
		"two records of an id": {{ID: "a", Phase: jobs.Reserved}, {ID: "b", Phase: jobs.Reserved}, {ID: "a", Phase: jobs.Running}},
		"no phase":             {{ID: "a"}},
		"unknown phase":        {{ID: "a", Phase: 99}},
		"finalizing":           {{ID: "a", Phase: jobs.Finalizing}},
		"gone without an end":  {{ID: "a", Phase: jobs.Gone}},
		"unknown end":          {{ID: "a", Phase: jobs.Gone, End: 99}},
		"an invalid id":        {{ID: "\n", Phase: jobs.Running}},
	} {
		load := func() (jobs.Stored, error) { return jobs.Stored{Records: records}, nil }
		if _, _, err := jobs.New(nil, jobs.Config{Store: &badLoad{load: load}}); err == nil || !strings.HasPrefix(err.Error(), "jobs: new: load: ") {
			t.Errorf("%s: got %v", name, err)
		}
	}
	_, _, err := jobs.New(nil, jobs.Config{Store: &badLoad{load: func() (jobs.Stored, error) { return jobs.Stored{}, errDisk }}})
	is(t, "load", err, errDisk)
}

func TestNamesOfNumbersV2(t *testing.T) {
	for want, got := range map[string]fmt.Stringer{
		"reserved": jobs.Reserved, "running": jobs.Running, "finalizing": jobs.Finalizing, "gone": jobs.Gone, "invalid": jobs.Phase(0),
		"completed": jobs.Completed, "failed": jobs.Failed, "cancelled": jobs.Cancelled,
	} {
		if got.String() != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
