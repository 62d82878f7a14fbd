package jobs_test

import (
	"runtime"
	"sync"

	"github.com/exactlyonce/certify/executor/jobs"
)

// fault is how a write fails.
type fault int

const (
	returns fault = iota
	panics
	exits
)

func (f fault) String() string { return [...]string{"error", "panic", "goexit"}[f] }

// badStore is a Memory whose n-th write fails, counted from 1; 0 means none.
// Before each Put it calls before, if set.
type badStore struct {
	jobs.Memory
	fault  fault
	before func(jobs.Record)

	mu     sync.Mutex
	failAt int           // guarded by mu
	writes int           // guarded by mu
	puts   []jobs.Record // guarded by mu; those that did not fail
}

func (s *badStore) write() error {
	s.mu.Lock()
	s.writes++
	fails := s.writes == s.failAt
	s.mu.Unlock()
	if !fails {
		return nil
	}
	switch s.fault {
	case panics:
		panic(errDisk)
	case exits:
		runtime.Goexit()
	}
	return errDisk
}

func (s *badStore) Put(r jobs.Record) error {
	if s.before != nil {
		s.before(r)
	}
	if err := s.write(); err != nil {
		return err
	}
	s.mu.Lock()
	s.puts = append(s.puts, r)
	s.mu.Unlock()
	return s.Memory.Put(r)
}

func (s *badStore) Delete(id string) error {
	if err := s.write(); err != nil {
		return err
	}
	return s.Memory.Delete(id)
}

// failed tells whether the fault has happened.
func (s *badStore) failed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failAt > 0 && s.writes >= s.failAt
}

// count is how many records of a phase were put.
func (s *badStore) count(p jobs.Phase) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.puts {
		if r.Phase == p {
			n++
		}
	}
	return n
}

// last is the record of id, or a zero one.
func (s *badStore) last(id string) jobs.Record {
	stored, _ := s.Load()
	for _, r := range stored.Records {
		if r.ID == id {
			return r
		}
	}
	return jobs.Record{}
}
