package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/executor/jobs"
	"github.com/exactlyonce/certify/internal/stress"
)

// histories is how many jobs TestRandomHistory starts.
func histories(t *testing.T) int {
	text := os.Getenv("CERTIFY_HISTORIES")
	if text == "" {
		return stress.Rounds(20_000)
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// flakyStore fails now and then, by a choice of its own.
type flakyStore struct {
	jobs.Memory
	failed atomic.Int64
}

func (s *flakyStore) Put(r jobs.Record) error {
	if rand.IntN(20) == 0 {
		s.failed.Add(1)
		return errDisk
	}
	return s.Memory.Put(r)
}

// history is what many clients do to a supervisor with few ids and places.
type history struct {
	rig
	store *flakyStore
	// inside counts, for each id, bodies that have begun and whose Finalize
	// has not ended: 1 at most.
	inside                                         [4]atomic.Int32
	begun, finalized                               atomic.Int64
	completed, failed, cancelled, duplicates, full atomic.Int64
	refused                                        atomic.Int64 // cancels
}

// Clients start, cancel and wait at random, with a store that fails at times.
// Jobs of an id never overlap, each that begins is finalized once, accepted
// cancels and outcomes agree, and at the end nothing is left. CERTIFY_HISTORIES
// is the number of jobs tried, 20,000 by default.
func TestRandomHistoryV1V2V3V6(t *testing.T) {
	h := &history{store: &flakyStore{}}
	h.rig = newRig(t, 3, jobs.Config{Capacity: 3, Store: h.store})
	random := stress.Random(t)
	n := histories(t)
	const clients = 8
	var all sync.WaitGroup
	for range clients {
		mine := rand.New(rand.NewPCG(random.Uint64(), 0))
		all.Go(func() {
			for range n / clients {
				h.one(t, mine)
			}
		})
	}
	all.Wait()
	h.drained(t)
	counts := fmt.Sprintf("%d completed, %d failed, %d cancelled, %d duplicates, %d without a place, %d failed writes, %d late cancels",
		h.completed.Load(), h.failed.Load(), h.cancelled.Load(), h.duplicates.Load(), h.full.Load(), h.store.failed.Load(), h.refused.Load())
	t.Log(counts)
	if h.begun.Load() != h.finalized.Load() {
		t.Errorf("%d bodies began, %d were finalized", h.begun.Load(), h.finalized.Load())
	}
	for _, c := range []*atomic.Int64{&h.completed, &h.failed, &h.cancelled, &h.duplicates, &h.full, &h.store.failed, &h.refused} {
		if c.Load() == 0 {
			t.Errorf("something never happened: %s", counts)
		}
	}
}

// one is one job tried by one client.
func (h *history) one(t *testing.T, random *rand.Rand) {
	i, way, naps, cancels := random.IntN(len(h.inside)), random.IntN(6), random.IntN(4), random.IntN(2) == 0
	handle, err := h.Start(background, strconv.Itoa(i), h.job(t, i, way, naps))
	switch {
	case errors.Is(err, jobs.ErrDuplicateID):
		h.duplicates.Add(1)
		return
	case errors.Is(err, jobs.ErrCapacity):
		h.full.Add(1)
		return
	case errors.Is(err, errDisk):
		return
	case err != nil:
		t.Error(err)
		return
	}
	accepted := false
	if cancels {
		for range naps {
			runtime.Gosched()
		}
		accepted = handle.Cancel(errStop) == nil
		if !accepted {
			h.refused.Add(1)
		}
	}
	o, _ := handle.Wait(background)
	h.judge(t, o, way, accepted)
}

func (h *history) job(t *testing.T, i, way, naps int) jobs.Job {
	return jobs.Job{
		Run: func(context.Context, *executor.Worker) ([]byte, error) {
			h.begun.Add(1)
			if n := h.inside[i].Add(1); n != 1 {
				t.Errorf("%d jobs of id %d at once", n, i)
			}
			for range naps {
				runtime.Gosched()
			}
			switch way {
			case 0:
				return nil, errBody
			case 1:
				panic(errBody)
			case 2:
				runtime.Goexit()
			}
			return []byte("ok"), nil
		},
		Finalize: func(context.Context, jobs.Outcome) error {
			for range naps {
				runtime.Gosched()
			}
			h.finalized.Add(1)
			h.inside[i].Add(-1)
			return nil
		},
	}
}

func (h *history) judge(t *testing.T, o jobs.Outcome, way int, accepted bool) {
	want := jobs.Completed
	switch {
	case accepted:
		want = jobs.Cancelled
		h.cancelled.Add(1)
	case !o.Began || way < 3:
		want = jobs.Failed
		h.failed.Add(1)
	default:
		h.completed.Add(1)
	}
	if o.End != want || !o.Began && !accepted && !errors.Is(o.Cause, errDisk) {
		t.Errorf("way %d, cancel accepted %v: %+v", way, accepted, o)
	}
}
