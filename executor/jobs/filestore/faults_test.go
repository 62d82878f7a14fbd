package filestore

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/exactlyonce/certify/executor/jobs"
)

// ledger is what a store was asked and what it said, per id: the record that
// was acknowledged last, and those that were tried since.
type ledger map[string][]string

func (l ledger) note(id, record string, err error) {
	if err == nil {
		l[id] = []string{record}
	} else {
		if l[id] == nil {
			l[id] = []string{""}
		}
		l[id] = append(l[id], record)
	}
}

// check holds a reopened store against the ledger: the acknowledged record of
// each id, or one that was tried after it.
func (l ledger) check(t *testing.T, s *Store) {
	t.Helper()
	found := map[string]string{}
	stored, err := s.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range stored.Records {
		found[r.ID] = r.Cause
	}
	for id, allowed := range l {
		if !slices.Contains(allowed, found[id]) {
			t.Errorf("%s: found %q, want one of %q", id, found[id], allowed)
		}
	}
}

// exercise runs a history, and compacts in the middle. The cause of a record
// tells it apart.
func exercise(s *Store, l ledger, d *badDisk, t *testing.T) (failed int) {
	step := func(err error) {
		if err != nil {
			failed++
		} else {
			d.durable(t)
		}
	}
	for _, round := range []string{"1", "2", "3"} {
		for _, id := range []string{"a", "b", "c"} {
			err := s.Put(jobs.Record{ID: id, Phase: jobs.Gone, End: jobs.Failed, Cause: id + round})
			l.note(id, id+round, err)
			step(err)
		}
		err := s.Delete("b")
		l.note("b", "", err)
		step(err)
		if round == "2" {
			step(s.Compact())
		}
	}
	return failed
}

// A fault at every call of the file system: one, two in a row, and all that
// follow, which is a death. What was acknowledged is found again; an error does not stop the
// store, unless it says so; and every acknowledgement had been synced.
func TestFaultAtEveryCallV7(t *testing.T) {
	for _, times := range []int{1, 2, 1 << 30} {
		faults := map[string]int{}
		for n := 1; ; n++ {
			d := &badDisk{failAt: n, times: times}
			dir := filepath.Join(t.TempDir(), "store")
			l := ledger{}
			s, err := open(dir, d)
			failed := 0
			if err == nil {
				failed = exercise(s, l, d, t)
				if failed > 1 && s.dead == nil && times == 1 {
					t.Errorf("call %d: %d calls failed, and the store does not say why", n, failed)
				}
				err = s.Close()
			} else {
				is(t, "open", err, errFault)
			}
			if len(d.calls) < n {
				if failed > 0 || err != nil {
					t.Errorf("without a fault: %d failed, %v", failed, err)
				}
				break
			}
			fault := d.calls[n-1]
			faults[fault]++
			again, err := Open(dir)
			if err != nil {
				t.Fatalf("call %d, %s: %v", n, fault, err)
			}
			l.check(t, again)
			is(t, "put", again.Put(jobs.Record{ID: "z", Phase: jobs.Reserved}), nil)
			is(t, "close", again.Close(), nil)
			if fault == "write" && times == 1 && failed > 1 {
				t.Errorf("call %d, one failing write: %d calls failed", n, failed)
			}
		}
		t.Logf("%d in a row: %v", times, faults)
		if faults["write"] < 12 || faults["sync"] < 12 || faults["rename"] < 2 || faults["syncdir"] < 3 {
			t.Errorf("too few faults: %v", faults)
		}
	}
}

// After a sync that failed the disk may say anything: read only from then on,
// and the error says why.
func TestReadOnlyAfterFailedSyncV7(t *testing.T) {
	d := &badDisk{times: 1}
	s, err := open(t.TempDir(), d)
	if err != nil {
		t.Fatal(err)
	}
	r := jobs.Record{ID: "a", Phase: jobs.Reserved}
	is(t, "put", s.Put(r), nil)
	d.failAt = len(d.calls) + 4 // stat, fstat, write, sync
	is(t, "put", s.Put(r), errFault)
	if got := d.calls[d.failAt-1]; got != "sync" {
		t.Fatalf("%s failed", got)
	}
	err = s.Put(r)
	is(t, "put", err, ErrReadOnly)
	is(t, "put", err, errFault)
	equal(t, "readable", contents(t, s), []string{"{ID:a Phase:reserved End:invalid Began:false Output:[] Cause: Finalize:}"})
	is(t, "close", s.Close(), nil)
}

// A frame that was written in part and cannot be cut off: read only too, and
// the next Open drops it.
func TestReadOnlyAfterFailedCutV7(t *testing.T) {
	dir := t.TempDir()
	d := &badDisk{times: 2}
	s, err := open(dir, d)
	if err != nil {
		t.Fatal(err)
	}
	r := jobs.Record{ID: "a", Phase: jobs.Reserved}
	is(t, "put", s.Put(r), nil)
	want := contents(t, s)
	d.failAt = len(d.calls) + 3 // stat, fstat, write, truncate
	r.Phase = jobs.Running
	is(t, "put", s.Put(r), errFault)
	if got := d.calls[d.failAt-1:]; got[0] != "write" || got[1] != "truncate" {
		t.Fatalf("%s failed", got)
	}
	is(t, "put", s.Put(r), ErrReadOnly)
	is(t, "close", s.Close(), nil)
	again := mustOpen(t, dir)
	equal(t, "reopened", contents(t, again), want)
	if again.droppedB == 0 {
		t.Error("nothing was dropped")
	}
}
