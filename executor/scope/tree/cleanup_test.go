package tree

import (
	"slices"
	"testing"
)

func errorsOf(from, to int) (list []error) {
	for i := from; i < to; i++ {
		list = append(list, fault(i))
	}
	return list
}

func (s stage) cleanupIs(out Outcome, end Primary, omitted uint64, want ...error) {
	s.Helper()
	if out.Primary != end || !slices.Equal(out.Cleanup.Errors(), want) || out.Cleanup.Omitted() != omitted {
		s.Errorf("%v with %v and %d more; want %v with %v and %d more",
			out.Primary, out.Cleanup.Errors(), out.Cleanup.Omitted(), end, want, omitted)
	}
}

// Success with an error of cleaning up is a failure with that error, which
// climbs; the nested outcome has none of it, the parent has the rest.
func TestCleanupFailsSuccessS3S7(t *testing.T) {
	s := newStage(t)
	nested := s.nest(s.Root())
	s.cleanupIs(s.ends(nested, Primary{}, fault(17), fault(18)), failed(17), 0)
	s.reasonIs(s.Root(), failed(17))
	s.cleanupIs(s.ends(s.Root(), Primary{}, fault(19)), failed(17), 0, fault(18), fault(19))
}

// The body's come first, then the children's, then its own; 16 are kept. The
// first stop is the outcome, whatever the body says later.
func TestCleanupIsOrderedAndBoundedS3S7(t *testing.T) {
	s := newStage(t)
	child := s.spawn(s.Root(), false)
	s.stops(child.Key, cancelled(99))
	s.cleanupIs(s.ends(child.Key, failed(98), errorsOf(110, 120)...), cancelled(99), 0)
	var body Cleanup
	for _, err := range errorsOf(100, 104) {
		body.Add(err)
	}
	s.done(s.BodyDone(s.Root(), Outcome{failed(1), body}))
	s.ready(s.Root(), true)
	want := append(append(errorsOf(100, 104), errorsOf(110, 120)...), errorsOf(120, 122)...)
	s.cleanupIs(s.settles(s.Root(), errorsOf(120, 132)...), failed(1), 10, want...)
}

// 26 errors of a nested scope: 16 kept, 10 omitted, and the parent adds to
// both.
func TestOmissionsAreDeliveredS7(t *testing.T) {
	s := newStage(t)
	nested := s.nest(s.Root())
	s.ends(nested, failed(1), errorsOf(100, 126)...)
	s.cleanupIs(s.ends(s.Root(), Primary{}, fault(200)), failed(1), 11, errorsOf(100, 116)...)
}

// What a supervised task could not clean up is its ticket's; what nobody asks
// for goes nowhere.
func TestSupervisedCleanupStaysS7(t *testing.T) {
	s := newStage(t)
	joined, dropped := s.spawn(s.Root(), true), s.spawn(s.Root(), true)
	for _, task := range []Token{joined, dropped} {
		s.stops(task.Key, cancelled(19))
		s.cleanupIs(s.ends(task.Key, Primary{}, fault(20)), cancelled(19), 0, fault(20))
	}
	s.done(s.ClaimJoin(s.Root(), joined))
	s.cleanupIs(s.joins(s.Root(), cancelled(19)), cancelled(19), 0, fault(20))
	s.cleanupIs(s.ends(s.Root(), Primary{}), Primary{}, 0)
}

// An unsupervised one's is delivered once: to its owner, not with the ticket.
func TestCleanupIsDeliveredOnceS7(t *testing.T) {
	s := newStage(t)
	child := s.spawn(s.Root(), false)
	s.stops(child.Key, cancelled(1))
	s.ends(child.Key, Primary{}, fault(2))
	s.done(s.ClaimJoin(s.Root(), child))
	s.cleanupIs(s.joins(s.Root(), cancelled(1)), cancelled(1), 0)
	s.cleanupIs(s.ends(s.Root(), Primary{}), failed(2), 0)
}
