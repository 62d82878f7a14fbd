package campaign

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/exactlyonce/certify/reports/record"
	"github.com/exactlyonce/certify/reports/rundir"
	"github.com/exactlyonce/certify/soak"
	"github.com/exactlyonce/certify/soak/child"
)

// raceExit is what the race detector makes of the exit code of a process that
// it had to report something about.
const raceExit = 66

// evidence is what one repetition left.
type evidence struct {
	exit   child.Exit
	result *soak.Result // nil when the process ended without one
	races  int          // reports of the race detector in the log
	panic_ string       // the first line of a panic or fatal error in the log
	last   string       // the last line of the log
	logB   int64        // what was written to it; more than maxLogB is cut
}

// ruling is the verdict on a repetition.
type ruling struct {
	verdict record.Verdict
	reason  record.Reason
	detail  string
}

func failed(reason record.Reason, format string, args ...any) ruling {
	return ruling{reason.Verdict(), reason, fmt.Sprintf(format, args...)}
}

// judge is the table of everything a repetition can come to. What we did to
// the process comes before what it says of itself; a value that was wrong
// names the verdict before a data race does, which is told beside it.
func (e evidence) judge(p Plan) ruling {
	r := e.byProcess(p)
	if note := e.raceNote(p); note != "" {
		if r.verdict == record.Certified {
			return failed(record.Race, "%s", note)
		}
		r.detail += "\n" + note
	}
	switch {
	case r.verdict == record.Certified && e.exit.Survivors > 0:
		return failed(record.Leak, "%d processes were left behind", e.exit.Survivors)
	case r.verdict == record.Certified && e.logB > maxLogB:
		return e.wroteTooMuch()
	}
	return r
}

// raceNote is what the race detector said, empty when it said nothing.
func (e evidence) raceNote(p Plan) string {
	switch {
	case e.races == 1:
		return "the race detector reported 1 data race, which is in the log"
	case e.races > 1:
		return fmt.Sprintf("the race detector reported %d data races, which are in the log", e.races)
	case p.Race && e.exit.Cause == child.Exited && e.exit.Code == raceExit:
		return fmt.Sprintf("exit code %d is the race detector's, but the log has no report of it", raceExit)
	}
	return ""
}

func (e evidence) wroteTooMuch() ruling {
	return failed(record.Contract, "wrote more than %d MiB to its output; the log keeps the beginning", maxLogB>>20)
}

func (e evidence) byProcess(p Plan) ruling {
	x := e.exit
	switch x.Cause {
	case child.Deadline:
		return failed(record.Stall, "not finished after %v; the log has its goroutines", p.Deadline)
	case child.Memory:
		return failed(record.Memory, "%s", x.Memory)
	case child.LowWater, child.Blind:
		return failed(record.Guard, "%s", x.Memory)
	case child.Signalled:
		return failed(record.Crash, "killed by signal %d (%v), which was not ours", int(x.Signal), x.Signal)
	case child.Cancelled: // by watchLog: an interrupt leaves no evidence
		return e.wroteTooMuch()
	}
	if e.result == nil {
		return e.withoutResult()
	}
	return e.byResult(p)
}

func (e evidence) withoutResult() ruling {
	if e.panic_ != "" {
		return failed(record.Crash, "exited with code %d: %s", e.exit.Code, e.panic_)
	}
	why := "something ended the process, as os.Exit does"
	if e.exit.Code != 0 && e.logB == 0 {
		why += ", or closed its standard error first"
	}
	return failed(record.Crash, "exited with code %d and without a result: %s", e.exit.Code, why)
}

func (e evidence) byResult(p Plan) ruling {
	r, code := e.result, e.exit.Code
	if code != r.Verdict.ExitCode() && !(p.Race && code == raceExit) {
		return failed(record.Crash, "exited with code %d after it had reported %s", code, r.Verdict)
	}
	if r.Verdict == record.Certified && p.CeilingB > 0 && r.PeakB > p.CeilingB {
		return failed(record.Memory, "peak of %d B, above the ceiling of %d B", r.PeakB, p.CeilingB)
	}
	return ruling{r.Verdict, r.Reason, r.Detail}
}

// gather reads what the process left beside its exit: the result file, which
// it takes away, and the log.
func gather(exit child.Exit, resultPath, logPath string) (evidence, error) {
	e := evidence{exit: exit}
	data, err := os.ReadFile(resultPath)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return e, fmt.Errorf("campaign: read result: %w", err)
	default:
		e.result = &soak.Result{}
		if json.Unmarshal(data, e.result) != nil {
			e.result = nil // as good as none
		}
		_ = os.Remove(resultPath) // a leftover is overwritten by the next
	}
	if e.logB, err = cutLog(logPath); err != nil {
		return e, fmt.Errorf("campaign: cut log: %w", err)
	}
	log, err := os.ReadFile(logPath)
	if err != nil {
		return e, fmt.Errorf("campaign: read log: %w", err)
	}
	e.races = bytes.Count(log, []byte("WARNING: DATA RACE\n"))
	e.panic_ = firstPanic(log)
	log = bytes.TrimSpace(log)
	e.last = string(log[bytes.LastIndexByte(log, '\n')+1:])
	return e, nil
}

func firstPanic(log []byte) string {
	for line := range bytes.Lines(log) {
		if bytes.HasPrefix(line, []byte("panic: ")) || bytes.HasPrefix(line, []byte("fatal error: ")) {
			return string(bytes.TrimSpace(line))
		}
	}
	return ""
}

// notBegun returns an error when the runner gave up on its job before there
// was anything to judge: for a reason in its own words, or because the disk
// has no room for a result. A subject that exits with the same code is judged.
func (e evidence) notBegun(dir *rundir.Dir) error {
	if e.result != nil || e.panic_ != "" || e.exit.Cause != child.Exited || e.exit.Code != 2 && e.exit.Code != 4 {
		return nil
	}
	if strings.HasPrefix(e.last, "soak: ") {
		return fmt.Errorf("campaign: the repetition could not be carried out: %s", e.last)
	}
	if err := dir.WriteFile(resultFile, make([]byte, 64<<10)); err != nil {
		return fmt.Errorf("campaign: the repetition left no result: %w", err)
	}
	_ = os.Remove(dir.Path(resultFile)) // it was a question only
	return nil
}
