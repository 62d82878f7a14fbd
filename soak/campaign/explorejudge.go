package campaign

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"github.com/exactlyonce/certify/reports/record"
	"github.com/exactlyonce/certify/soak"
	"github.com/exactlyonce/certify/soak/child"
	"github.com/exactlyonce/certify/soak/explore"
	"github.com/exactlyonce/certify/soak/explore/survey"
)

// explored is the verdict on an exploration.
func (e evidence) explored(p Plan, c Cell, out []byte, r *record.Record) ruling {
	if x := e.exit; x.Cause != child.Exited {
		return e.byProcess(p) // it was ended
	}
	sum, err := survey.Read(bytes.NewReader(out))
	if err != nil || sum.Scenarios == 0 {
		return failed(record.Crash, "the explorer exited with code %d: %d programs, %v", e.exit.Code, sum.Scenarios, err)
	}
	r.Values = []record.Value{
		{Unit: "programs", Value: float64(sum.Scenarios)}, {Unit: "exhausted", Value: float64(sum.Exhausted)},
		{Unit: "executions", Value: float64(sum.Executions)},
	}
	if sum.Within >= 0 {
		r.Values = append(r.Values, record.Value{Unit: "within-preemptions", Value: float64(sum.Within)})
	}
	for _, what := range slices.Sorted(maps.Keys(sum.Counts)) {
		r.Values = append(r.Values, record.Value{Unit: what, Value: float64(sum.Counts[what])})
	}
	if sum.Failed == nil {
		return c.enough(sum)
	}
	if sum.Failed.Invalid != "" && c.Subject.Kind == soak.ImportName {
		return failed(record.Floor, "the explorer cannot follow program %s: %s", sum.Failed.Scenario, sum.Failed.Invalid)
	}
	if sum.Failed.Invalid != "" {
		return failed(record.Crash, "program %s: %s", sum.Failed.Scenario, sum.Failed.Invalid)
	}
	return failed(meaning(sum.Failed.Verdict, sum.Failed.Failure), "program %s, schedule %s: %s\n%s",
		sum.Failed.Smallest, sum.Failed.Schedule, sum.Failed.Failure, sum.Failed.Trace)
}

// enough is the verdict on an exploration in which nothing failed: it must have met
// what could have.
func (c Cell) enough(sum survey.Sum) ruling {
	kind, name := c.explored()
	if missing := sum.Missing(kind, name); len(missing) > 0 && c.Subject.Kind != soak.CanaryName {
		return failed(record.Floor, "no execution of %d had anything %s", sum.Executions, strings.Join(missing, ", or "))
	}
	return ruling{verdict: record.Certified}
}

// meaning is the law that an exploration has seen broken.
func meaning(verdict, failure string) record.Reason {
	switch {
	case verdict == explore.Deadlock.String(), verdict == explore.Livelock.String(), verdict == explore.Leak.String():
		return record.Stall
	case verdict != explore.Wrong.String():
		return record.Crash
	case strings.Contains(failure, "is lost"):
		return record.Lost
	case strings.Contains(failure, "was never reclaimed"):
		return record.Memory
	case strings.Contains(failure, "too often"):
		return record.Duplicated
	}
	return record.Contract
}
