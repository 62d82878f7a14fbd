package executor

// Join calls f and g, of which g may be stolen meanwhile, and returns when both have.
// What is said at [Fork.Both] holds. A g that captures variables is an allocation; a
// recursive function is better a [Fork].
func Join(w *Worker, f, g func(*Worker)) { w.exec.joins.Both(w, f, g) }

// For calls body for parts of the range from 0 to n that do not overlap and of at most
// grain indices each, which may be stolen, and returns when all calls have. It halves
// the range, so that a thief takes half of what is left. A grain below 1 is 1.
func For(w *Worker, n, grain int, body func(w *Worker, low, high int)) {
	if n > 0 {
		runSpan(w, span{body, 0, n, max(1, grain)})
	}
}

// span is a part of a range.
type span struct {
	body             func(w *Worker, low, high int)
	low, high, grain int
}

// runSpan is the function of Executor.loops.
func runSpan(w *Worker, s span) (none struct{}) {
	if s.high-s.low <= s.grain {
		s.body(w, s.low, s.high)
		return none
	}
	left, right := s, s
	left.high = s.low + (s.high-s.low)/2
	right.low = left.high
	w.exec.loops.Both(w, left, right)
	return none
}

// Reduce combines what part returns for parts of the range from 0 to n, of at most
// grain indices each, in the order of the range; combine must be associative. For an
// n below 1 it returns the zero value. It allocates for each part.
func Reduce[T any](w *Worker, n, grain int, part func(w *Worker, low, high int) T, combine func(a, b T) T) (result T) {
	if n < 1 {
		return result
	}
	return reduction[T]{part, combine, max(1, grain)}.of(w, 0, n)
}

type reduction[T any] struct {
	part    func(w *Worker, low, high int) T
	combine func(a, b T) T
	grain   int
}

func (r reduction[T]) of(w *Worker, low, high int) T {
	if high-low <= r.grain {
		return r.part(w, low, high)
	}
	mid := low + (high-low)/2
	var left, right T
	Join(w, func(w *Worker) { left = r.of(w, low, mid) }, func(w *Worker) { right = r.of(w, mid, high) })
	return r.combine(left, right)
}
