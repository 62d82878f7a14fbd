package soak

import (
	"fmt"
	"strings"

	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/queues/catalog"
	"github.com/exactlyonce/certify/reports/record"
)

// The names of our executors.
const (
	WorkStealingName = "workstealing"
	GoroutinesName   = "goroutines"
)

// SubjectName names a subject of ours, so that another process can make it.
type SubjectName struct {
	Kind     string // WorkStealingName or GoroutinesName
	Injector string // of a work-stealing executor, as in the catalog
	Deque    string
}

// Make returns the executor of that name, or an error that lists the names
// there are.
func (n SubjectName) Make() (Executor, error) {
	switch n.Kind {
	case GoroutinesName:
		return Goroutines(), nil
	case WorkStealingName:
		injector, err := catalog.Injector[executor.Task](n.Injector)
		if err != nil {
			return Executor{}, fmt.Errorf("soak: %w", err)
		}
		deque, err := catalog.Deque[executor.Task](n.Deque)
		if err != nil {
			return Executor{}, fmt.Errorf("soak: %w", err)
		}
		return WorkStealing(injector, deque), nil
	}
	return Executor{}, fmt.Errorf("soak: no executor %q; there are: %s",
		n.Kind, strings.Join([]string{WorkStealingName, GoroutinesName}, ", "))
}

// Params are the name as parameters of a record's key.
func (n SubjectName) Params() []record.Param {
	if n.Kind == GoroutinesName {
		return []record.Param{{Name: "executor", Value: n.Kind}}
	}
	return []record.Param{{Name: "injector", Value: n.Injector}, {Name: "deque", Value: n.Deque}}
}
