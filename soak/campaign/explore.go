package campaign

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/exactlyonce/certify/queues"
	"github.com/exactlyonce/certify/reports/record"
	"github.com/exactlyonce/certify/soak"
	"github.com/exactlyonce/certify/soak/child"
	"github.com/exactlyonce/certify/soak/explore"
	"github.com/exactlyonce/certify/soak/explore/survey"
	"github.com/exactlyonce/certify/soak/faulty/flawed"
	"github.com/exactlyonce/certify/soak/guard"
)

// ExploreDrill is the name under which explorations stand among the drills: all
// schedules of all small programs of one back end, in one process.
const ExploreDrill = "explore"

// Explorations are those of the back ends that the cells run on, each once.
func Explorations(cells []Cell, size survey.Size) (all []Cell) {
	seen := map[Cell]bool{}
	for _, c := range cells {
		if c.Subject.Kind != soak.WorkStealingName {
			continue
		}
		for _, s := range []soak.SubjectName{{Kind: c.Subject.Kind, Injector: c.Subject.Injector}, {Kind: c.Subject.Kind, Deque: c.Subject.Deque}} {
			e := Cell{Drill: ExploreDrill, Subject: s, Size: size}
			if !seen[e] {
				seen[e], all = true, append(all, e)
			}
		}
	}
	return all
}

// rareCanaries are the queues whose faults take a schedule that a soak hardly ever
// meets, and the controls.
func rareCanaries() (all []Canary) {
	add := func(b queues.Backend[*int], fault string, killers []record.Reason) {
		s := soak.SubjectName{Kind: soak.CanaryName, Name: b.Name}
		if b.Kind() == queues.KindInjector {
			s.Injector = b.Name
		} else {
			s.Deque = b.Name
		}
		all = append(all, Canary{Cell: Cell{Drill: ExploreDrill, Subject: s, Size: survey.Quick}, Fault: fault, Killers: killers})
	}
	add(flawed.Textbook[int](), "", []record.Reason{})
	add(flawed.Linked[int](), "", []record.Reason{})
	for _, q := range append(flawed.Deques[int](), flawed.Injectors[int]()...) {
		if q.Rare {
			add(q.Backend, q.Fault, q.Killers)
		}
	}
	return all
}

// explores reports whether the plan needs an explorer.
func (p Plan) explores() bool {
	for s := range p.steps {
		if s.cell.Drill == ExploreDrill {
			return true
		}
	}
	return false
}

// exploreKey is the key of an exploration.
func (c Cell) exploreKey() record.Key {
	params := c.Subject.Params()
	if c.Subject.Kind == soak.WorkStealingName {
		params = []record.Param{{Name: "injector", Value: c.Subject.Injector}}
		if c.Subject.Injector == "" {
			params = []record.Param{{Name: "deque", Value: c.Subject.Deque}}
		}
	}
	size := record.Param{Name: "length", Value: strconv.Itoa(c.Size.Length)}
	if c.kind() == queues.KindInjector {
		size = record.Param{Name: "each", Value: strconv.Itoa(c.Size.Each)}
	}
	params = append(params, size, record.Param{Name: "executions", Value: strconv.Itoa(c.Size.Executions)}, record.Param{Name: "mode", Value: "controlled"})
	return record.Key{Drill: ExploreDrill, Params: params}
}

func (c Cell) kind() queues.Kind {
	if c.Subject.Injector != "" {
		return queues.KindInjector
	}
	return queues.KindDeque
}

// ExplorerFile and SitesFile are the explorer in the run directory, and how many
// places of the subjects it does not control.
const (
	ExplorerFile = "explorer.bin"
	sitesFile    = "explorer.sites"
)

// BuildExplorer builds the plan's explorer in the directory of the run, if it needs
// one that is not there, and returns its SHA-256; empty for a plan that needs none.
func BuildExplorer(ctx context.Context, p Plan, dir string) (sha string, err error) {
	if !p.explores() {
		return "", nil
	}
	path := filepath.Join(dir, ExplorerFile)
	sha, err = SHA256(path)
	if !errors.Is(err, os.ErrNotExist) {
		return sha, err
	}
	temp := filepath.Join(dir, "."+ExplorerFile+".tmp")
	defer os.Remove(temp) // not there any more when all is well
	built, err := survey.Build(ctx, ".", temp, "github.com/exactlyonce/certify/queues/catalog", "github.com/exactlyonce/certify/soak/faulty/flawed")
	if ctx.Err() != nil {
		return "", ErrInterrupted
	}
	if err != nil {
		return "", fmt.Errorf("campaign: %w", err)
	}
	err = os.WriteFile(filepath.Join(dir, sitesFile), strconv.AppendInt(nil, int64(len(built.Sites)), 10), 0o644)
	if err = errors.Join(err, syncFile(temp), os.Rename(temp, path)); err != nil {
		return "", fmt.Errorf("campaign: build explorer: %w", err)
	}
	return SHA256(path)
}

// explore carries out an exploration and puts what came of it into the record.
func (c *Campaign) explore(ctx context.Context, cell Cell, r *record.Record, logPath string) error {
	dir, err := filepath.Abs(c.Dir.Path(""))
	if err != nil {
		return fmt.Errorf("campaign: %w", err)
	}
	name := cell.Subject.Injector + cell.Subject.Deque
	exit, err := child.Run(ctx, child.Spec{
		Path: filepath.Join(dir, ExplorerFile), Args: cell.Size.Args(cell.kind(), name), Env: os.Environ(), LogPath: logPath,
		Deadline: c.Plan.Deadline, Limits: guard.Limits{TreeB: c.Plan.CeilingB, LowWaterB: c.Plan.LowWaterB},
	})
	if ctx.Err() != nil {
		_ = os.Remove(logPath)
		return ErrInterrupted
	}
	if err != nil {
		return err
	}
	r.ElapsedNs, r.CPUNs, r.PeakB = exit.Elapsed.Nanoseconds(), (exit.UserCPU + exit.SysCPU).Nanoseconds(), exit.Memory.PeakTreeB
	out, err := os.ReadFile(logPath)
	if err != nil {
		return fmt.Errorf("campaign: %w", err)
	}
	ruling := evidence{exit: exit}.explored(c.Plan, out, r)
	r.Verdict, r.Reason, r.Detail = ruling.verdict, ruling.reason, ruling.detail
	if text, err := os.ReadFile(filepath.Join(dir, sitesFile)); err == nil {
		if n, err := strconv.ParseFloat(string(bytes.TrimSpace(text)), 64); err == nil {
			r.Values = append(r.Values, record.Value{Unit: "uncontrolled-sites", Value: n})
		}
	}
	return nil
}

// explored is the verdict on an exploration.
func (e evidence) explored(p Plan, out []byte, r *record.Record) ruling {
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
	if sum.Failed == nil {
		return ruling{verdict: record.Certified}
	}
	if sum.Failed.Invalid != "" {
		return failed(record.Crash, "program %s: %s", sum.Failed.Scenario, sum.Failed.Invalid)
	}
	return failed(meaning(sum.Failed.Verdict, sum.Failed.Failure), "program %s, schedule %s: %s\n%s",
		sum.Failed.Smallest, sum.Failed.Schedule, sum.Failed.Failure, sum.Failed.Trace)
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
	case strings.Contains(failure, "too often"):
		return record.Duplicated
	}
	return record.Contract
}
