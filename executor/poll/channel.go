package poll

// Receive is the next value of ch, or fails with ErrClosed. While it waits it
// takes a goroutine, since only a goroutine can wait for a channel. A value that
// arrives when the future is being dropped is lost with it: who must not lose
// one selects between channels in a goroutine, as ever.
func Receive[T any](ch <-chan T) Future[T] { return newReceive("receive", ch) }

func newReceive[T any](op string, ch <-chan T) *receive[T] {
	return &receive[T]{ch: ch, waiter: waiter{op: op, event: new(event)}}
}

// Send gives v to ch, or fails with ErrClosed. While it waits it takes a
// goroutine. A future that is dropped may have given v at the last moment.
func Send[T any](ch chan<- T, v T) Future[struct{}] {
	return &send[T]{ch: ch, v: v, waiter: waiter{op: "send", event: new(event)}}
}

// waiter is a future whose goroutine waits for a channel.
type waiter struct {
	op    string
	event *event
	stop  chan struct{} // made with the goroutine, closed by Drop
	ended bool
}

// begin tells whether to try without waiting (the goroutine is not there yet),
// or whether the goroutine has what it waited for.
func (w *waiter) begin(c *Context) (try, over bool, err error) {
	switch {
	case w.ended:
		_, _, err = failed[struct{}](w.op, ErrEnded)
		return false, false, err
	case w.stop == nil:
		return true, false, nil
	}
	w.ended = w.event.over(c)
	return false, w.ended, nil
}

// wait starts the goroutine. It ends when wait has returned, which it does at
// the latest when stop is closed.
func (w *waiter) wait(c *Context, wait func(stop <-chan struct{}) (over bool)) error {
	if err := c.check(w.op); err != nil {
		return err
	}
	w.event.over(c)
	stop, event := make(chan struct{}), w.event
	w.stop = stop
	go func() {
		if wait(stop) {
			event.happen()
		}
	}()
	return nil
}

// Drop ends the goroutine.
func (w *waiter) Drop() {
	if w.ended = true; w.stop != nil {
		close(w.stop)
		w.stop = nil
	}
}

type receive[T any] struct {
	waiter
	ch  <-chan T
	got *received[T] // what the goroutine received; read once event has happened
}

type received[T any] struct {
	v    T
	open bool
}

func (r *receive[T]) Poll(c *Context) (none T, _ bool, _ error) {
	try, over, err := r.begin(c)
	switch {
	case err != nil:
		return none, false, err
	case over:
		return r.result(r.got.v, r.got.open)
	case !try:
		return none, false, nil
	}
	select {
	case v, open := <-r.ch:
		r.ended = true
		return r.result(v, open)
	default:
	}
	ch, got := r.ch, new(received[T])
	r.got = got
	return none, false, r.wait(c, func(stop <-chan struct{}) bool {
		select {
		case got.v, got.open = <-ch:
			return true
		case <-stop:
			return false
		}
	})
}

func (r *receive[T]) result(v T, open bool) (T, bool, error) {
	if !open {
		return failed[T](r.op, ErrClosed)
	}
	return v, true, nil
}

type send[T any] struct {
	waiter
	ch   chan<- T
	v    T
	sent *bool // by the goroutine; read once event has happened
}

func (s *send[T]) Poll(c *Context) (none struct{}, _ bool, _ error) {
	try, over, err := s.begin(c)
	switch {
	case err != nil:
		return none, false, err
	case over:
		return s.result(*s.sent)
	case !try:
		return none, false, nil
	}
	if sent, open := sendOr(nil, s.ch, s.v); sent || !open {
		s.ended = true
		return s.result(sent)
	}
	ch, v, sent := s.ch, s.v, new(bool)
	s.sent = sent
	return none, false, s.wait(c, func(stop <-chan struct{}) bool {
		var open bool
		*sent, open = sendOr(stop, ch, v)
		return *sent || !open
	})
}

func (s *send[T]) result(sent bool) (struct{}, bool, error) {
	if !sent {
		return failed[struct{}]("send", ErrClosed)
	}
	return struct{}{}, true, nil
}

// sendOr gives v to ch and waits until it can, or until stop is closed; with no
// stop it does not wait. Sending to a closed channel is what Go panics for.
func sendOr[T any](stop <-chan struct{}, ch chan<- T, v T) (sent, open bool) {
	defer func() {
		if recover() != nil {
			sent, open = false, false
		}
	}()
	if stop == nil {
		select {
		case ch <- v:
			return true, true
		default:
			return false, true
		}
	}
	select {
	case ch <- v:
		return true, true
	case <-stop:
		return false, true
	}
}
