package filestore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/executor/jobs"
)

// lifeEnv numbers the lives of the driver, so that ids are new in each.
const lifeEnv = "FILESTORE_TEST_LIFE"

// faultEnv makes the driver faulty, to show that the test finds it.
const (
	faultEnv       = "FILESTORE_TEST_FAULT"
	faultRerun     = "interrupted jobs are run again"
	faultLate      = "an end is acknowledged before it is written"
	faultBeginning = "a beginning is not written"
)

// lyingStore is a store with one of the faults, or none.
type lyingStore struct {
	jobs.Store
	fault string

	mu   sync.Mutex
	late *jobs.Record // guarded by mu
}

func (s *lyingStore) Put(r jobs.Record) error {
	if s.fault == faultBeginning && r.Phase == jobs.Running {
		return nil
	}
	if s.fault != faultLate || r.Phase != jobs.Gone {
		return s.Store.Put(r)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	last := s.late
	if s.late = &r; last == nil {
		return nil
	}
	return s.Store.Put(*last)
}

var errMeant = errors.New("fails on purpose")

// driver is one life of the process that the test kills. It says on its
// standard output what it was told, a line each, after it was told: start,
// end, cancel, deleted; and before it asks: delete.
type driver struct {
	path  string
	store *Store
	s     *jobs.Supervisor
	room  chan struct{} // as many as may be under way
}

// loudDisk says when a log gets its name, before the name is durable.
type loudDisk struct{ realDisk }

func (d loudDisk) rename(from, to string) error {
	err := d.realDisk.rename(from, to)
	fmt.Println("renamed", filepath.Base(to))
	return err
}

// drive starts what was pending, never what was interrupted, and then new
// jobs for ever.
func drive(path string) error {
	store, err := open(filepath.Join(path, "store"), loudDisk{})
	if err != nil {
		return err
	}
	store.minB, store.compactB = 1<<10, 1<<10
	e, err := executor.New(executor.Config{Workers: 2})
	if err != nil {
		return err
	}
	fault := os.Getenv(faultEnv)
	s, recovered, err := jobs.New(e, jobs.Config{Store: &lyingStore{Store: store, fault: fault}})
	if err != nil {
		return err
	}
	d := &driver{path, store, s, make(chan struct{}, 8)}
	again := recovered.Pending
	if fault == faultRerun {
		again = append(again, recovered.Interrupted...)
	}
	for n, id := range again {
		if err := d.start(id, n); err != nil {
			return err
		}
	}
	for n := 0; ; n++ {
		if err := d.start(fmt.Sprintf("%s-%d", os.Getenv(lifeEnv), n), n); err != nil {
			return err
		}
	}
}

// start runs one job of some kind by number: most complete, some fail, are
// cancelled, or are deleted afterwards.
func (d *driver) start(id string, n int) error {
	d.room <- struct{}{}
	h, err := d.s.Start(context.Background(), id, jobs.Job{Run: func(context.Context, *executor.Worker) ([]byte, error) {
		if err := d.journal(id); err != nil {
			return nil, err
		}
		if n%5 == 3 {
			return nil, errMeant
		}
		return output(id), nil
	}})
	if err != nil {
		return err
	}
	fmt.Println("start", id)
	if n%5 == 4 && h.Cancel(nil) == nil {
		fmt.Println("cancel", id)
	}
	go func() {
		defer func() { <-d.room }()
		o, _ := h.Wait(context.Background())
		if o.Record != nil {
			fmt.Fprintln(os.Stderr, o.Record)
			os.Exit(1)
		}
		fmt.Println("end", id, o.End)
		if n%4 != 0 {
			fmt.Println("delete", id)
			if d.store.Delete(id) == nil {
				fmt.Println("deleted", id)
			}
		}
	}()
	return nil
}

// journal notes durably that the body of id runs.
func (d *driver) journal(id string) error {
	f, err := os.OpenFile(filepath.Join(d.path, "journal"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(id + "\n")
	return errors.Join(err, f.Sync(), f.Close())
}

func output(id string) []byte { return []byte(strings.Repeat(id+" ", 20)) }
