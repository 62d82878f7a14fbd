package poll

import "fmt"

// Func is a function as a Future.
type Func[T any] func(c *Context) (value T, ready bool, err error)

// Poll calls the function.
func (f Func[T]) Poll(c *Context) (T, bool, error) {
	if f == nil {
		return failed[T]("func", ErrNilFuture)
	}
	return f(c)
}

func failed[T any](op string, err error) (none T, _ bool, _ error) {
	return none, false, fmt.Errorf("poll: %s: %w", op, err)
}

func notYet[T any]() (none T, _ bool, _ error) { return none, false, nil }

// Ready is v, at once. It may be polled again and repeats it.
func Ready[T any](v T) Future[T] {
	return Func[T](func(*Context) (T, bool, error) { return v, true, nil })
}

// Fail fails with err, at once and each time. A nil err stands for ErrNilFuture.
func Fail[T any](err error) Future[T] {
	if err == nil {
		err = ErrNilFuture
	}
	return Func[T](func(*Context) (none T, _ bool, _ error) { return none, false, err })
}

// Never is not ready and wakes nobody. Its task ends by Cancel or Stop.
func Never[T any]() Future[T] {
	return Func[T](func(*Context) (T, bool, error) { return notYet[T]() })
}

// Yield is ready at its second poll and has itself polled again: it lets others
// run that were queued before.
func Yield() Future[struct{}] { return new(yield) }

type yield struct{ polls int }

func (y *yield) Poll(c *Context) (none struct{}, ready bool, err error) {
	if err := c.check("yield"); err != nil {
		return none, false, err
	}
	// The first repetition follows at once, the second comes from a queue.
	switch y.polls++; y.polls {
	case 1, 2:
		c.waker.Wake()
		return none, false, nil
	case 3:
		return none, true, nil
	}
	return failed[struct{}]("yield", ErrEnded)
}
