package control

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"
)

// Step is one event of a traced execution, in words.
type Step struct {
	Event
	Span   string   // the call of the program's that it belongs to, see Label
	Call   int      // which of the thread's labels that is, from 1
	Op     string   // the shim's operation
	Values []string // its arguments and results
	Place  string   // the location's name
	Source string   // file:line of the operation
}

// trace is what an execution keeps if it is to be looked at.
type trace struct {
	steps  []Step
	labels map[int]label // thread -> its present span
	names  names
	values map[any]int // pointers, by their first appearance
}

type label struct {
	text   string
	number int
}

func (r *trace) reset() {
	*r = trace{labels: map[int]label{}, values: map[any]int{}, names: names{roots: r.names.roots[:0]}}
}

// Story is the events of an execution with Trace set.
func (x *Execution) Story() []Step { return x.trace.steps }

// complete names the locations that could not be reached when they were
// announced: memory that is made ready first and made visible later.
func (r *trace) complete() {
	r.names.again()
	for i := range r.steps {
		r.steps[i].Place = r.names.name(r.steps[i].Loc)
	}
}

// note adds t's newest event to the trace.
func (x *Execution) note(t *Thread) {
	e := x.events[len(x.events)-1]
	l := x.trace.labels[t.id]
	s := Step{Event: e, Span: l.text, Call: l.number}
	if x.Sources {
		s.Source = source()
	}
	x.trace.steps = append(x.trace.steps, s)
}

// Note says in words what the running thread's newest event did. Call it if
// [Tracing].
func Note(op string, values ...any) {
	t := Running()
	if t == nil || !t.x.Trace || t.latest < 0 || t.x.unwinding {
		return
	}
	s := &t.x.trace.steps[t.latest]
	s.Op = op
	s.Values = s.Values[:0]
	for _, v := range values {
		s.Values = append(s.Values, t.x.trace.format(v))
	}
}

// Label names what the running thread does from here on.
func Label(text string) {
	if t := Running(); t != nil && t.x.Trace {
		t.x.trace.labels[t.id] = label{text, t.x.trace.labels[t.id].number + 1}
	}
}

// Root makes the locations that can be reached from v, a pointer, known by
// their path from it.
func (x *Execution) Root(name string, v any) {
	x.trace.names.roots = append(x.trace.names.roots, root{name, reflect.ValueOf(v)})
}

// format writes a value so that it is the same in each run of a schedule.
func (r *trace) format(v any) string {
	value := reflect.ValueOf(v)
	switch value.Kind() {
	case reflect.Invalid:
		return "nil"
	case reflect.Pointer, reflect.UnsafePointer:
		if value.IsNil() {
			return "nil"
		}
		if value.Kind() == reflect.Pointer {
			switch e := value.Elem(); e.Kind() {
			case reflect.Int, reflect.Int64, reflect.Uint64, reflect.String:
				return fmt.Sprintf("&%v", e.Interface())
			}
		}
		if r.values[v] == 0 {
			r.values[v] = len(r.values) + 1
		}
		return fmt.Sprintf("p%d", r.values[v])
	case reflect.Bool, reflect.String, reflect.Int, reflect.Int32, reflect.Int64, reflect.Uint8, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return fmt.Sprint(v)
	}
	return value.Type().String()
}

// shims are the packages whose frames are no places in the program.
var shims = []string{"/soak/explore/control.", "/soak/explore/atomic.", "/soak/explore/sync.", "/soak/explore/runtime."}

// source is the innermost place outside of the shims.
func source() string {
	var pcs [16]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs[:])])
	for {
		f, more := frames.Next()
		if !inShim(f.Function) || !more {
			return fmt.Sprintf("%s:%d", f.File[strings.LastIndex(f.File, "/")+1:], f.Line)
		}
	}
}

func inShim(function string) bool {
	for _, s := range shims {
		if strings.Contains(function, s) {
			return true
		}
	}
	return false
}
