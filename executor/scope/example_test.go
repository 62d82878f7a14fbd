package scope_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/executor/scope"
)

// One of three parts fails; the others are told to stop, and Run returns the
// failure when all have ended.
func Example() {
	e, _ := executor.New(executor.Config{})
	defer e.Shutdown(context.Background())

	err := scope.Run(context.Background(), e, func(s *scope.Scope) error {
		for part := range 3 {
			err := s.Go(func(s *scope.Scope) error {
				if part == 1 {
					return fmt.Errorf("part %d: %w", part, errors.New("no such file"))
				}
				s.Worker().Block(func() { <-s.Context().Done() })
				return s.Context().Err()
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	fmt.Println(err)
	// Output: part 1: no such file
}

// The failure of a supervised child is its ticket's, and its owner decides.
func ExampleSpawn_supervised() {
	e, _ := executor.New(executor.Config{})
	defer e.Shutdown(context.Background())

	err := scope.Run(context.Background(), e, func(s *scope.Scope) error {
		supervised := scope.Options{Supervised: true}
		mirror, err := scope.Spawn(s, supervised, func(*scope.Scope) (string, error) {
			return "", errors.New("mirror is down")
		})
		if err != nil {
			return err
		}
		text, err := mirror.Join(s)
		if err != nil {
			fmt.Println("going on without:", err)
			text = "from the cache"
		}
		fmt.Println(text)
		return nil
	})
	fmt.Println(err)
	// Output:
	// going on without: mirror is down
	// from the cache
	// <nil>
}

// A resource is moved to the child that uses it, and closed when that ends.
func ExampleResource_move() {
	e, _ := executor.New(executor.Config{})
	defer e.Shutdown(context.Background())

	err := scope.Run(context.Background(), e, func(s *scope.Scope) error {
		open := func(context.Context) (string, error) { return "the log", nil }
		shut := func(name string) error { fmt.Println("closed", name); return nil }
		log, err := scope.Acquire(s, open, shut)
		if err != nil {
			return err
		}
		moved := scope.Options{Move: []scope.Movable{log}}
		writer, err := scope.Spawn(s, moved, func(s *scope.Scope) (int, error) {
			return 3, log.Use(s, func(name string) error { fmt.Println("writing", name); return nil })
		})
		if err != nil {
			return err
		}
		lines, err := writer.Join(s)
		fmt.Println(lines, "lines,", err)
		err = log.Use(s, func(string) error { return nil })
		fmt.Println("afterwards it is stale:", errors.Is(err, scope.ErrStale))
		return nil
	})
	fmt.Println(err)
	// Output:
	// writing the log
	// closed the log
	// 3 lines, <nil>
	// afterwards it is stale: true
	// <nil>
}
