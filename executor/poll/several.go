package poll

// Join is the values of all of fs, in their order, when the last is ready. When
// one fails it fails with that error and drops the others. The Join of none is
// ready at once. A wake costs a poll of the future that was woken, and a look at
// the others.
func Join[T any](fs ...Future[T]) Future[[]T] {
	if anyNil(fs) {
		return refuse[[]T]("join")
	}
	return &join[T]{several: newSeveral(fs), values: make([]T, len(fs))}
}

// Selected is what Select found.
type Selected[T any] struct {
	Index int // of the future in the arguments of Select
	Value T
}

// Select is the first of fs to be ready, and drops the others. When the first
// to end fails, it fails with that error. Of several that are ready at one poll
// it takes the one with the lowest index. The Select of none fails with
// ErrNilFuture.
func Select[T any](fs ...Future[T]) Future[Selected[T]] {
	if anyNil(fs) || len(fs) == 0 {
		return refuse[Selected[T]]("select")
	}
	return &selection[T]{newSeveral(fs)}
}

func anyNil[T any](fs []Future[T]) bool {
	for _, f := range fs {
		if f == nil {
			return true
		}
	}
	return false
}

// several futures are polled as one.
type several[T any] struct {
	hub   *hub
	arms  []arm[T]
	ended bool // and all arms were dropped
}

type arm[T any] struct {
	future  Future[T] // nil once it was dropped
	branch  *branch   // apart from the arm, because wakers keep it
	context Context
}

func newSeveral[T any](fs []Future[T]) several[T] {
	s := several[T]{hub: new(hub), arms: make([]arm[T], len(fs))}
	for i, f := range fs {
		b := &branch{hub: s.hub}
		b.woken.Store(true) // the first poll is of all
		s.arms[i] = arm[T]{future: f, branch: b, context: Context{waker: Waker{b}}}
	}
	return s
}

// poll polls the futures that were woken, and gives the value of each that is
// ready to take, until that returns true or one fails.
func (s *several[T]) poll(op string, c *Context, take func(i int, v T) (enough bool)) error {
	if s.ended {
		_, _, err := failed[T](op, ErrEnded)
		return err
	}
	if err := c.check(op); err != nil {
		return err
	}
	s.hub.set(c.waker)
	for i := range s.arms {
		a := &s.arms[i]
		if !a.branch.woken.Swap(false) || a.future == nil {
			continue
		}
		a.context.worker, a.context.ctx = c.worker, c.ctx
		v, ready, err := a.future.Poll(&a.context)
		if err == nil && !ready {
			continue
		}
		if a.drop(); err != nil {
			s.Drop()
			return err
		}
		if take(i, v) {
			s.Drop()
			return nil
		}
	}
	return nil
}

func (a *arm[T]) drop() {
	if f := a.future; f != nil {
		a.future = nil
		drop(f)
	}
}

// Drop drops those that have not ended.
func (s *several[T]) Drop() {
	s.ended = true
	for i := range s.arms {
		s.arms[i].drop()
	}
}

type join[T any] struct {
	several[T]
	values []T
	taken  int
}

func (j *join[T]) Poll(c *Context) ([]T, bool, error) {
	err := j.poll("join", c, func(i int, v T) bool {
		j.values[i] = v
		j.taken++
		return j.taken == len(j.values)
	})
	if err != nil || j.taken < len(j.values) {
		return nil, false, err
	}
	j.ended = true // the join of none too
	return j.values, true, nil
}

type selection[T any] struct{ several[T] }

func (s *selection[T]) Poll(c *Context) (found Selected[T], ready bool, err error) {
	err = s.poll("select", c, func(i int, v T) bool {
		found, ready = Selected[T]{i, v}, true
		return true
	})
	return found, ready, err
}
