package poll

// Map is f's value after fn, which may fail. When f fails fn is not called.
func Map[T, U any](f Future[T], fn func(T) (U, error)) Future[U] {
	if f == nil || fn == nil {
		return refuse[U]("map")
	}
	return Then(f, func(v T) Future[U] {
		u, err := fn(v)
		if err != nil {
			return Fail[U](err)
		}
		return Ready(u)
	})
}

// Then is the future that fn makes of f's value. When f fails fn is not called.
func Then[T, U any](f Future[T], fn func(T) Future[U]) Future[U] {
	if f == nil || fn == nil {
		return refuse[U]("then")
	}
	return &then[T, U]{first: f, fn: fn}
}

func refuse[T any](op string) Future[T] {
	return Func[T](func(*Context) (T, bool, error) { return failed[T](op, ErrNilFuture) })
}

// then is in its first future, then in its second, then ended with neither.
type then[T, U any] struct {
	first  Future[T]
	fn     func(T) Future[U]
	second Future[U]
}

func (t *then[T, U]) Poll(c *Context) (none U, _ bool, _ error) {
	if t.first != nil {
		v, ready, err := t.first.Poll(c)
		if err == nil && !ready {
			return none, false, nil
		}
		first, fn := t.first, t.fn
		t.first, t.fn = nil, nil
		if drop(first); err != nil {
			return none, false, err
		}
		if t.second = fn(v); t.second == nil {
			return failed[U]("then", ErrNilFuture)
		}
	}
	if t.second == nil {
		return failed[U]("then", ErrEnded)
	}
	u, ready, err := t.second.Poll(c)
	if err != nil || ready {
		second := t.second
		t.second = nil
		drop(second)
	}
	return u, ready, err
}

// Drop drops whichever of the two there is.
func (t *then[T, U]) Drop() {
	first, second := t.first, t.second
	t.first, t.fn, t.second = nil, nil, nil
	if first != nil {
		drop(first)
	}
	if second != nil {
		drop(second)
	}
}
