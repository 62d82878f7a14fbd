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

// The kinds of subjects that are not ours to make: whoever starts the process of a
// repetition gives them to it.
const (
	CanaryName = "canary" // known-bad ones, and their controls
	ImportName = "import" // from a package of others
)

// SubjectName names a subject, so that another process can make it.
type SubjectName struct {
	Kind     string // one of the names above
	Name     string `json:",omitempty"` // of a canary or of what was imported
	Injector string `json:",omitempty"` // of a work-stealing executor, as in the catalog, or what an import shows
	Deque    string `json:",omitempty"`
}

// Given are the subjects that the process of a repetition was built with, by kind.
type Given map[string][]Executor

// Given reports whether the subject is one of those that are given to Make.
func (n SubjectName) Given() bool { return n.Kind == CanaryName || n.Kind == ImportName }

// Make returns the executor of that name, out of given if it is not of ours, or an
// error that lists the names there are.
func (n SubjectName) Make(given Given) (Executor, error) {
	switch {
	case n.Given():
		return find(n.Kind, n.Name, given[n.Kind], func(e Executor) string { return e.Name })
	case n.Kind == GoroutinesName:
		return Goroutines(), nil
	case n.Kind == WorkStealingName:
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
	switch n.Kind {
	case CanaryName:
		return []record.Param{{Name: record.CanaryParam, Value: n.Name}}
	case ImportName:
		return []record.Param{{Name: "executor", Value: n.Name}}
	case GoroutinesName:
		return []record.Param{{Name: "executor", Value: n.Kind}}
	}
	return []record.Param{{Name: "injector", Value: n.Injector}, {Name: "deque", Value: n.Deque}}
}
