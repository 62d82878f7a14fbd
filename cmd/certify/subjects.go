package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/queues"
	"github.com/exactlyonce/certify/queues/catalog"
	"github.com/exactlyonce/certify/soak"
)

// fitExecutor refuses queues, given on the command line, for an executor that
// has none: whoever names one expects that it is tested.
func (f *planFlags) fitExecutor(c *cobra.Command) error {
	for _, name := range []string{"injector", "deque"} {
		if f.imports.path != "" && c.Flags().Changed(name) {
			return usage("--%s: what is imported says which it has", name)
		}
		if f.executor == soak.GoroutinesName && c.Flags().Changed(name) {
			return usage("--%s: the executor %s has none", name, f.executor)
		}
	}
	return nil
}

// subjects are the executors that the flags name.
func (f *planFlags) subjects() ([]soak.SubjectName, error) {
	if f.imports.path != "" {
		return f.imports.subjects(f)
	}
	if f.executor != soak.WorkStealingName {
		s := soak.SubjectName{Kind: f.executor}
		if _, err := s.Make(nil); err != nil {
			return nil, usage("%s: %w", f.given("executor"), err)
		}
		return []soak.SubjectName{s}, nil
	}
	injectors, err := f.backends("injector", f.injectors, queues.KindInjector)
	if err != nil {
		return nil, err
	}
	deques, err := f.backends("deque", f.deques, queues.KindDeque)
	if err != nil {
		return nil, err
	}
	var subjects []soak.SubjectName
	for _, in := range injectors {
		for _, de := range deques {
			subjects = append(subjects, soak.SubjectName{Kind: f.executor, Injector: in, Deque: de})
		}
	}
	return subjects, nil
}

// backends are the names that a flag gives, "all" being all of its kind.
func (f *planFlags) backends(flag string, given []string, kind queues.Kind) ([]string, error) {
	var known []string
	for _, b := range catalog.Backends[executor.Task]() {
		if b.Kind() == kind {
			known = append(known, b.Name)
		}
	}
	if slices.Equal(given, []string{"all"}) {
		return known, nil
	}
	if len(given) == 0 {
		return nil, usage("%s: want a name, or all; there are: %s", f.given(flag), strings.Join(known, ", "))
	}
	for _, name := range given {
		if !slices.Contains(known, name) {
			return nil, usage("%s: no %s %q; there are: %s, or all", f.given(flag), kind, name, strings.Join(known, ", "))
		}
	}
	return given, nil
}
