package executor

// Task is what the queues of an executor hold. It is opaque: a back end moves the
// pointer and never looks inside.
type Task struct {
	// fn is nil but for a light task, one without a handle, which is called with arg.
	// Of the others arg says what they are: a *slot, or a fork that is stolen.
	fn    Func
	arg   any
	group *Group // of a light task, or nil
}

// Func is the body of a light task. It is made once and gets what it works on at
// each call: to give such a task, with an argument that is a pointer, allocates
// nothing.
type Func func(w *Worker, arg any)

// priority is that of a task with a handle.
func (t *Task) priority() Priority {
	if s, ok := t.arg.(*slot); ok {
		return s.head.priority
	}
	return Normal
}

// polled tells whether it is a task that is run in steps.
func (t *Task) polled() bool {
	s, ok := t.arg.(*slot)
	return ok && s.head.polled
}
