// Package catalog is the only list of our back ends. It is a function, not a
// registry that packages enter themselves into: what is in it can be read here.
//
// Promise: the order is fixed and the baseline of each kind comes first. Not in it is
// package split, whose thieves do not see all that is queued.
//
// Non-goal: back ends of others, who export a function of the same shape.
package catalog

import (
	"fmt"
	"slices"
	"strings"

	"github.com/exactlyonce/certify/queues"
	"github.com/exactlyonce/certify/queues/chaselev"
	"github.com/exactlyonce/certify/queues/claim"
	"github.com/exactlyonce/certify/queues/msqueue"
	"github.com/exactlyonce/certify/queues/mutex"
	"github.com/exactlyonce/certify/queues/scq"
	"github.com/exactlyonce/certify/queues/segment"
	"github.com/exactlyonce/certify/queues/sharded"
)

// Backends lists all back ends, for items of type *E: the injectors, then the
// deques.
func Backends[E any]() []queues.Backend[*E] {
	all := slices.Concat(
		mutex.Backends[E](), msqueue.Backends[E](), sharded.Backends[E](), scq.Backends[E](), segment.Backends[E](),
		chaselev.Backends[E](), claim.Backends[E](),
	)
	slices.SortStableFunc(all, func(a, b queues.Backend[*E]) int { return int(a.Kind()) - int(b.Kind()) })
	return all
}

// Injector returns the injector of that name. The error is an [*UnknownError].
func Injector[E any](name string) (queues.Backend[*E], error) {
	return find[E](queues.KindInjector, name)
}

// Deque returns the deque of that name. The error is an [*UnknownError].
func Deque[E any](name string) (queues.Backend[*E], error) {
	return find[E](queues.KindDeque, name)
}

func find[E any](kind queues.Kind, name string) (queues.Backend[*E], error) {
	var known []string
	for _, b := range Backends[E]() {
		if b.Kind() != kind {
			continue
		}
		if b.Name == name {
			return b, nil
		}
		known = append(known, b.Name)
	}
	return queues.Backend[*E]{}, &UnknownError{kind, name, known}
}

// UnknownError says that the catalog has no back end of that kind and name.
type UnknownError struct {
	Kind  queues.Kind
	Name  string
	Known []string // the names there are, baseline first
}

func (e *UnknownError) Error() string {
	return fmt.Sprintf("catalog: no %s %q; there are: %s", e.Kind, e.Name, strings.Join(e.Known, ", "))
}
