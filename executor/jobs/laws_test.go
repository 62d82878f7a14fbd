package jobs_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/exactlyonce/certify/executor/jobs"
	"github.com/exactlyonce/certify/internal/stress"
)

// laws are checks that hold of every supervisor of one place, with the faults
// that each of them must find.
var laws = []struct {
	name   string
	faults []string
	check  func(s subject, store *badStore) error
}{
	{"V1 one of many starts wins, the others write nothing", []string{fChecksThenActs, fWritesFirst}, oneWinner},
	{"V2 no cancel while finalizing", []string{fCancelFinalizing}, closedWhileFinalizing},
	{"V2 cancelled while reserved never runs", []string{fRunsCancelled}, reservedNeverRuns},
	{"V3 held until finalized, then free", []string{fFreesEarly, fKeepsOnCopy, fKeepsOnWrite, fKeepsOnPanic}, heldThenFree},
	{"V4 the registry decides", []string{fAsksStore}, registryDecides},
	{"V5 a failure stays one", []string{fCopyHeals}, failureStays},
	{"V6 the outcome agrees with the cancel", []string{fDropsCancel}, outcomeAgrees},
}

func well() error { return nil }

func oneWinner(s subject, store *badStore) error {
	release := make(chan struct{})
	var all sync.WaitGroup
	waits := make(chan func() jobs.End, 16)
	for range cap(waits) {
		all.Go(func() {
			if wait, err := s.start("a", func() error { <-release; return nil }, well); err == nil {
				waits <- wait
			}
		})
	}
	all.Wait()
	close(release)
	won := len(waits)
	for range won {
		(<-waits)()
	}
	if n := store.count(jobs.Reserved); won != 1 || n != 1 {
		return fmt.Errorf("%w: %d won, %d reservations written", errLaw, won, n)
	}
	return nil
}

func closedWhileFinalizing(s subject, _ *badStore) error {
	var late error
	wait, err := s.start("a", well, func() error { late = s.cancel("a"); return nil })
	if err != nil {
		return err
	}
	if end := wait(); end != jobs.Completed || !errors.Is(late, jobs.ErrFinalizing) {
		return fmt.Errorf("%w: cancel said %v, and the job is %s", errLaw, late, end)
	}
	return nil
}

func reservedNeverRuns(s subject, store *badStore) error {
	there, leave := make(chan struct{}), make(chan struct{})
	store.before = func(r jobs.Record) {
		if r.Phase == jobs.Running {
			close(there)
			<-leave
		}
	}
	ran := false
	wait, err := s.start("a", func() error { ran = true; return nil }, well)
	if err != nil {
		return err
	}
	<-there
	err = s.cancel("a")
	close(leave)
	if end := wait(); err != nil || ran || end != jobs.Cancelled {
		return fmt.Errorf("%w: cancel said %v, the body ran: %v, the job is %s", errLaw, err, ran, end)
	}
	return nil
}

func heldThenFree(s subject, store *badStore) error {
	for name, one := range map[string]struct {
		run, finalize func() error
		failAt        int
	}{
		"all well":             {run: well, finalize: well},
		"finalize fails":       {run: well, finalize: func() error { return errCopy }},
		"end is not written":   {run: well, finalize: well, failAt: 3},
		"the body panics":      {run: func() error { panic(errBody) }, finalize: well},
		"start is not written": {run: well, finalize: well, failAt: 1},
	} {
		store.mu.Lock()
		store.writes, store.failAt = 0, one.failAt
		store.mu.Unlock()
		var second error
		wait, err := s.start("a", one.run, func() error {
			_, second = s.start("a", well, well)
			return one.finalize()
		})
		if err == nil {
			wait()
			if !errors.Is(second, jobs.ErrDuplicateID) {
				return fmt.Errorf("%w: %s: start beside one that is finalizing: %v", errLaw, name, second)
			}
		}
		wait, err = s.start("a", well, well)
		if err != nil {
			return fmt.Errorf("%w: %s: retry: %w", errLaw, name, err)
		}
		wait()
	}
	return nil
}

func registryDecides(s subject, store *badStore) error {
	running, release := make(chan struct{}), make(chan struct{})
	wait, err := s.start("a", func() error { close(running); <-release; return nil }, well)
	if err != nil {
		return err
	}
	<-running
	store.Memory.Delete("a")
	err = s.cancel("a")
	close(release)
	if end := wait(); err != nil || end != jobs.Cancelled {
		return fmt.Errorf("%w: cancel without metadata said %v, and the job is %s", errLaw, err, end)
	}
	return nil
}

func failureStays(s subject, _ *badStore) error {
	wait, err := s.start("a", func() error { return errBody }, well)
	if err != nil {
		return err
	}
	if end := wait(); end != jobs.Failed {
		return fmt.Errorf("%w: the job is %s", errLaw, end)
	}
	return nil
}

func outcomeAgrees(s subject, _ *badStore) error {
	running, release := make(chan struct{}), make(chan struct{})
	wait, err := s.start("a", func() error { close(running); <-release; return nil }, well)
	if err != nil {
		return err
	}
	<-running
	err = s.cancel("a")
	close(release)
	if end := wait(); (err == nil) != (end == jobs.Cancelled) {
		return fmt.Errorf("%w: cancel said %v, and the job is %s", errLaw, err, end)
	}
	return nil
}

// The laws hold of ours and of a toy, and each finds the toy's faults that it
// is there for.
func TestLawsFindFaultsV1V2V3V4V5V6(t *testing.T) {
	stress.Watchdog(t)
	for _, law := range laws {
		store := &badStore{}
		if err := law.check(real{newRig(t, 1, jobs.Config{Capacity: 1, Store: store})}, store); err != nil {
			t.Errorf("%s: %v", law.name, err)
		}
		for _, fault := range append([]string{""}, law.faults...) {
			store := &badStore{}
			err := law.check(&toy{fault: fault, store: store, active: map[string]*toyJob{}}, store)
			if found := errors.Is(err, errLaw); found != (fault != "") {
				t.Errorf("%s: a toy that %s: %v", law.name, fault, err)
			}
		}
	}
}
