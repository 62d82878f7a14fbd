// Package picture draws small histories, and judges them by another method than
// package monitor does: it hands them to porcupine, a general checker, which
// searches through the orders of the calls and can show how far it came.
//
// That takes time exponential in how many calls overlap. So histories are limited
// to [Limit] rows, and what was not decided in time is [Unknown], which is no pass.
// Calls that had not returned are left out, but for pushes of what was taken. The
// values of a batch that is not taken at one moment are calls of their own here,
// in any order.
package picture

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/exactlyonce/certify/soak/monitor"
)

// Verdict is what came of the search.
type Verdict uint8

const (
	Unknown Verdict = iota // not decided in time
	Legal
	Illegal
)

func (v Verdict) String() string { return [...]string{"unknown", "legal", "illegal"}[v] }

// Limit is how many rows a history may have.
const Limit = 200

// Check searches for an order, for at most so long. The error is for a history that
// is too long, or a criterion that is not known here.
func Check(c monitor.Criterion, h []monitor.Op, o monitor.Options, limit time.Duration) (Verdict, error) {
	v, _, _, err := search(c, h, o, limit)
	return v, err
}

// Draw is Check that writes a page of HTML, with the calls on a time line and, for
// an illegal history, the longest orders that were found.
func Draw(w io.Writer, c monitor.Criterion, h []monitor.Op, o monitor.Options, limit time.Duration) (Verdict, error) {
	v, m, info, err := search(c, h, o, limit)
	if err != nil {
		return Unknown, err
	}
	if err := porcupine.Visualize(m, info, w); err != nil {
		return v, fmt.Errorf("picture: draw: %w", err)
	}
	return v, nil
}

func search(c monitor.Criterion, h []monitor.Op, o monitor.Options, limit time.Duration) (v Verdict, m porcupine.Model, info porcupine.LinearizationInfo, err error) {
	if len(h) > Limit {
		return v, m, info, fmt.Errorf("picture: history of %d rows: want at most %d", len(h), Limit)
	}
	k, ok := kinds[c.Name]
	if !ok {
		return v, m, info, fmt.Errorf("picture: no model of %s", c.Name)
	}
	q := queue{kind: k, o: o}
	m = q.model()
	result, info := porcupine.CheckOperationsVerbose(m, operations(h, o), limit)
	verdicts := map[porcupine.CheckResult]Verdict{porcupine.Ok: Legal, porcupine.Illegal: Illegal}
	return verdicts[result], m, info, nil
}

type kind uint8

const (
	fifo kind = iota
	producers
	bag
	deque
)

var kinds = map[string]kind{
	monitor.FIFO.Name: fifo, monitor.ProducerFIFO.Name: producers, monitor.Bag.Name: bag, monitor.Deque.Name: deque,
}

// call is what porcupine gets as the input of an operation: rows of one call.
type call []monitor.Op

func operations(h []monitor.Op, o monitor.Options) (all []porcupine.Operation) {
	taken := map[uint32]bool{}
	for _, op := range h {
		if op.Kind != monitor.Push && op.Answer <= monitor.Also {
			taken[op.Value] = true
		}
	}
	for _, op := range h {
		if op.Answer == monitor.Pending && !(op.Kind == monitor.Push && taken[op.Value]) {
			continue
		}
		if op.Answer == monitor.Also && o.AtomicBatch && op.Kind != monitor.Push {
			last := &all[len(all)-1]
			last.Input = append(last.Input.(call), op)
			continue
		}
		all = append(all, porcupine.Operation{ClientId: int(op.Worker), Input: call{op}, Call: op.Begin, Return: op.End})
	}
	return all
}

// queue is a plain queue. Its state is a string, oldest first: "7/0 8/1 " is value
// 7 of producer 0 and value 8 of producer 1.
type queue struct {
	kind kind
	o    monitor.Options
}

func (q queue) model() porcupine.Model {
	return porcupine.Model{
		Init: func() any { return "" },
		Step: func(state, input, _ any) (bool, any) {
			inside := strings.Fields(state.(string))
			for _, op := range input.(call) {
				var ok bool
				if inside, ok = q.step(inside, op); !ok {
					return false, state
				}
			}
			return true, strings.Join(inside, " ")
		},
		DescribeOperation: func(input, _ any) string { return input.(call).String() },
		DescribeState:     func(state any) string { return fmt.Sprintf("[%s]", state) },
	}
}

func (q queue) step(inside []string, op monitor.Op) ([]string, bool) {
	roomy := q.o.Capacity == 0 || len(inside) < q.o.Capacity
	switch {
	case op.Answer == monitor.Empty:
		return inside, q.o.WeakEmpty || len(inside) == 0
	case op.Answer == monitor.Full:
		return inside, q.o.WeakFull || !roomy
	case op.Answer == monitor.Lost:
		return inside, true
	case op.Kind == monitor.Push:
		return append(inside, fmt.Sprintf("%d/%d", op.Value, op.Worker)), roomy || q.kind == deque
	}
	prefix := strconv.FormatUint(uint64(op.Value), 10) + "/"
	at := slices.IndexFunc(inside, func(s string) bool { return strings.HasPrefix(s, prefix) })
	if at < 0 || !q.first(inside, at, op.Kind) {
		return inside, false
	}
	return slices.Delete(inside, at, at+1), true
}

// first tells whether the value at at may be taken before the others.
func (q queue) first(inside []string, at int, k monitor.Kind) bool {
	switch {
	case q.kind == bag:
		return true
	case q.kind == deque && k == monitor.Pop:
		return at == len(inside)-1
	case q.kind == producers:
		_, producer, _ := strings.Cut(inside[at], "/")
		return !slices.ContainsFunc(inside[:at], func(s string) bool { return strings.HasSuffix(s, "/"+producer) })
	}
	return at == 0
}

func (c call) String() string {
	var values []string
	for _, op := range c {
		values = append(values, strconv.FormatUint(uint64(op.Value), 10))
	}
	text := strings.Join(values, ",")
	switch op := c[0]; {
	case op.Kind == monitor.Push && op.Answer == monitor.Full:
		return fmt.Sprintf("push(%s) → FULL", text)
	case op.Kind == monitor.Push:
		return fmt.Sprintf("push(%s)", text)
	case op.Answer > monitor.Also:
		return fmt.Sprintf("%s() → %s", op.Kind, op.Answer)
	default:
		return fmt.Sprintf("%s() → %s", op.Kind, text)
	}
}
