package main

import (
	"fmt"
	"io"
	"runtime"
	"text/tabwriter"

	"github.com/exactlyonce/certify/hardening/recorded"
)

// report is the record of a run.
type report struct {
	recorded.Head
	Seed uint64 `json:"seed,string"`

	Tasks     int        `json:"tasks"`
	Seconds   float64    `json:"seconds"`
	Executors executors  `json:"executors"`
	Kinds     []kindLine `json:"kinds"`
	Ends      ends       `json:"ends"`

	Heap       heap       `json:"heap"`
	Goroutines goroutines `json:"goroutines"`
	Faults     []string   `json:"faults"`

	by      [kinds]count
	samples []int64
}

type executors struct {
	All      int `json:"all"`
	Drained  int `json:"drained"`
	ShutDown int `json:"shut_down"`
	Stopped  int `json:"stopped"`
}

type kindLine struct {
	Kind      string `json:"kind"`
	Given     int    `json:"given"`
	Ran       int    `json:"ran"`
	Cancelled int    `json:"cancelled"`
}

// ends are those that are not plain, and what was refused.
type ends struct {
	Panics            int64 `json:"panics"`
	Goexits           int64 `json:"goexits"`
	CancelledRunning  int64 `json:"cancelled_running"`
	RefusedNoRoom     int64 `json:"refused_no_room"`
	RefusedAfterAnEnd int64 `json:"refused_after_an_end"`
}

type heap struct {
	Samples int   `json:"samples"`
	First   int64 `json:"first_third_bytes"` // medians
	Last    int64 `json:"last_third_bytes"`
	Slack   int64 `json:"slack_bytes"`
}

type goroutines struct {
	Before int `json:"before"`
	After  int `json:"after"`
}

// maxFaults keeps the record of what always fails readable.
const maxFaults = 12

func (r *report) fault(format string, args ...any) {
	if len(r.Faults) < maxFaults {
		r.Faults = append(r.Faults, fmt.Sprintf(format, args...))
	}
}

// add enters a life, and returns how many tasks it had.
func (r *report) add(l *life, by [kinds]count) (tasks int) {
	r.Executors.All++
	switch l.shape.end {
	case drained:
		r.Executors.Drained++
	case shutDown:
		r.Executors.ShutDown++
	case stopped:
		r.Executors.Stopped++
	}
	for k, c := range by {
		r.by[k].add(c)
		tasks += c.given
	}
	r.Tasks += tasks
	t := &l.tally
	r.Ends.Panics += t.panics.Load()
	r.Ends.Goexits += t.goexits.Load()
	r.Ends.CancelledRunning += t.interrupted.Load()
	r.Ends.RefusedNoRoom += t.saturated.Load()
	r.Ends.RefusedAfterAnEnd += t.shut.Load()
	return tasks
}

// finish sums up, and judges the memory.
func (r *report) finish(before int) {
	for k, c := range r.by {
		r.Kinds = append(r.Kinds, kindLine{kindNames[k], c.given, c.ran, c.cancelled})
	}
	r.Goroutines = goroutines{before, runtime.NumGoroutine()}
	r.Heap = heap{Samples: len(r.samples), Slack: heapSlack}
	if len(r.samples) < fewest {
		return // a fault has ended it
	}
	r.Heap.First, r.Heap.Last = thirds(r.samples)
	if r.Heap.Last > r.Heap.First+heapSlack {
		r.fault("memory grew: %d bytes were alive in the first third, %d in the last", r.Heap.First, r.Heap.Last)
	}
}

// words are the record for people.
func (r *report) words(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "kind\tgiven\tran\tcancelled\t")
	for _, k := range r.Kinds {
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t\n", k.Kind, k.Given, k.Ran, k.Cancelled)
	}
	_ = t.Flush() // to where the lines went before
	e, n := r.Executors, r.Ends
	fmt.Fprintf(w, "%d tasks in %.0f s, in %d executors: %d drained, %d shut down and %d stopped in the middle of it\n",
		r.Tasks, r.Seconds, e.All, e.Drained, e.ShutDown, e.Stopped)
	fmt.Fprintf(w, "%d panics, %d Goexits, %d cancelled while they ran; refused were %d for want of room, %d after an end\n",
		n.Panics, n.Goexits, n.CancelledRunning, n.RefusedNoRoom, n.RefusedAfterAnEnd)
	fmt.Fprintf(w, "heap: %d KiB in the first third, %d KiB in the last, of %d samples; goroutines: %d before, %d after\n",
		r.Heap.First>>10, r.Heap.Last>>10, r.Heap.Samples, r.Goroutines.Before, r.Goroutines.After)
	for _, f := range r.Faults {
		fmt.Fprintln(w, "FAULT:", f)
	}
	if len(r.Faults) > 0 {
		fmt.Fprintf(w, "NOT AS IT SHOULD BE; repeat with -seed %d\n", r.Seed)
		return
	}
	fmt.Fprintf(w, "each ran once or was cancelled; seed %d\n", r.Seed)
}
