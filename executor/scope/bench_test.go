package scope_test

import (
	"testing"

	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/executor/scope"
)

// BenchmarkTask is one task and the wait for its result: the executor's own,
// and that of a scope in the same place.
func BenchmarkTask(b *testing.B) {
	bench := func(name string, body func(b *testing.B, s *scope.Scope)) {
		b.Run(name, func(b *testing.B) {
			e, err := executor.New(executor.Config{})
			if err != nil {
				b.Fatal(err)
			}
			defer e.Stop()
			b.ReportAllocs()
			err = scope.Run(background, e, func(s *scope.Scope) error { body(b, s); return nil })
			if err != nil {
				b.Fatal(err)
			}
		})
	}
	one := func(*executor.Worker) (int, error) { return 1, nil }
	bench("of=executor", func(b *testing.B, s *scope.Scope) {
		for b.Loop() {
			if n, err := executor.Spawn(s.Worker(), one).Wait(background); n != 1 || err != nil {
				b.Fatal(n, err)
			}
		}
	})
	bench("of=scope", func(b *testing.B, s *scope.Scope) {
		for b.Loop() {
			ticket, err := scope.Spawn(s, scope.Options{}, seven)
			if err != nil {
				b.Fatal(err)
			}
			if n, err := ticket.Join(s); n != 7 || err != nil {
				b.Fatal(n, err)
			}
		}
	})
	bench("of=nested", func(b *testing.B, s *scope.Scope) {
		for b.Loop() {
			err := s.Nested(func(s *scope.Scope) error { return s.Go(nothing) })
			if err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkTree is 511 tasks, each with two children but the last, that only
// end after them.
func BenchmarkTree(b *testing.B) {
	e, err := executor.New(executor.Config{})
	if err != nil {
		b.Fatal(err)
	}
	defer e.Stop()
	b.ReportAllocs()
	for b.Loop() {
		if err := scope.Run(background, e, tree(8)); err != nil {
			b.Fatal(err)
		}
	}
}

func tree(depth int) func(*scope.Scope) error {
	return func(s *scope.Scope) error {
		if depth == 0 {
			return nil
		}
		if err := s.Go(tree(depth - 1)); err != nil {
			return err
		}
		return s.Go(tree(depth - 1))
	}
}
