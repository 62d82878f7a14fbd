package soak

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/exactlyonce/certify/reports/record"
	"github.com/exactlyonce/certify/soak/child"
	"github.com/exactlyonce/certify/soak/guard"
)

// Job is what a supervisor asks of a repetition's process, as its one argument
// in JSON.
type Job struct {
	Spec    Spec
	Subject SubjectName
	Result  string // the file that the Result is written to
}

// Result is what a repetition's process reports. A process that ends without
// one has crashed, whatever its exit code.
type Result struct {
	Verdict record.Verdict
	Reason  record.Reason
	Detail  string
	Values  []record.Value
	DrillNs int64 // the drill alone
	PeakB   int64 // peak resident memory, read by the process itself at its end
}

// Repetition runs the job in args and returns the exit code: that of the
// verdict, 2 for a job that makes no sense, 4 when it could not be run. It is
// the main function of the runner, takes standard input, and is called once. Subjects
// that are not ours are found in given.
func Repetition(args []string, given Given) int {
	child.WatchParent()
	if len(args) == 2 && args[0] == ListArg {
		return list(given, args[1])
	}
	debug.SetTraceback("all")
	job, err := parseJob(args)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	result, err := job.run(given)
	if err == nil {
		err = writeJSON(job.Result, result)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 4
	}
	if result.Verdict != record.Certified {
		fmt.Fprintf(os.Stderr, "%s (%s)\n%s\n", result.Verdict, result.Reason, result.Detail)
	}
	return result.Verdict.ExitCode()
}

func parseJob(args []string) (job Job, err error) {
	if len(args) != 1 {
		return job, fmt.Errorf("soak: repetition: %d arguments, want a job in JSON; use certify soak", len(args))
	}
	if err := json.Unmarshal([]byte(args[0]), &job); err != nil {
		return job, fmt.Errorf("soak: repetition: job %.200q: %w", args[0], err)
	}
	return job, nil
}

func (j Job) run(given Given) (Result, error) {
	executor, err := j.Subject.Make(given)
	if err != nil {
		return Result{}, err
	}
	if j.Spec, err = j.Spec.Resolve(); err != nil {
		return Result{}, err
	}
	streams := standardStreams()
	stop := j.Spec.disturb()
	before := liveHeap()
	o, err := check(executor, j.Spec, true)
	stop()
	if err != nil {
		return Result{}, err
	}
	o.checkLeft(liveHeap()-before, leftMax+goroutineB*int64(j.Spec.Batch))
	o.checkStreams(streams)
	r := Result{Verdict: o.Verdict, Reason: o.Reason, Detail: o.Detail, DrillNs: o.Elapsed.Nanoseconds()}
	r.Values = append(o.Values, record.Value{Unit: "task-ns", Value: float64(o.Elapsed.Nanoseconds()) / float64(j.Spec.Tasks)})
	r.Values = append(r.Values, heap()...)
	if r.PeakB, err = guard.SelfPeak(); err != nil {
		fmt.Fprintln(os.Stderr, err) // recorded as not known
	}
	return r, nil
}

// leftMax is what may be live more after a drill than before it: what libraries
// and the runtime make once, and keep.
const leftMax = 1 << 20

// goroutineB is what the runtime keeps for ever of a goroutine that has ended, for the
// next one: its descriptor. An executor may have one for each task in flight.
const goroutineB = 512

// checkLeft makes a clean outcome a failed one when the drill has left memory.
func (o *Outcome) checkLeft(grown, limit int64) {
	o.Values = append(o.Values, record.Value{Unit: "left-B", Value: float64(grown)})
	if grown > limit && o.Verdict == record.Certified {
		o.Verdict, o.Reason = record.Failed, record.Memory
		o.Detail = fmt.Sprintf("memory: %d bytes more are live after the drill than before it, limit %d", grown, limit)
	}
}

// heap is the state of the heap, collected, once everything has ended.
func heap() []record.Value {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return []record.Value{
		{Unit: "live-B", Value: float64(m.HeapAlloc)},
		{Unit: "goroutines", Value: float64(runtime.NumGoroutine())},
		{Unit: "gc-pause-ns", Value: float64(m.PauseTotalNs)},
	}
}

// writeJSON writes the file as a whole or not at all.
func writeJSON(path string, v any) (err error) {
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("soak: repetition: %w", err)
	}
	temp := filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s.%d", filepath.Base(path), time.Now().UnixNano()))
	if err = os.WriteFile(temp, data, 0o644); err == nil {
		err = os.Rename(temp, path)
	}
	if err != nil {
		_ = os.Remove(temp)
		return fmt.Errorf("soak: repetition: %w", err)
	}
	return nil
}
