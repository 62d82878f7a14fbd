package campaign

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/exactlyonce/certify/queues"
	"github.com/exactlyonce/certify/reports/record"
	"github.com/exactlyonce/certify/soak"
	"github.com/exactlyonce/certify/soak/child"
	"github.com/exactlyonce/certify/soak/explore/survey"
	"github.com/exactlyonce/certify/soak/faulty/flawed"
	"github.com/exactlyonce/certify/soak/guard"
)

const module = "github.com/exactlyonce/certify/"

// ExploreDrill is the name under which explorations stand among the drills: all
// schedules of all small programs of one back end, in one process.
const ExploreDrill = "explore"

// Explorations are those of the back ends that the cells run on, each once, and of
// what our executor stands on: the reclaimer of its queues, and its protocols.
func Explorations(cells []Cell, size survey.Size) (all []Cell) {
	add := func(s soak.SubjectName) {
		if e := (Cell{Drill: ExploreDrill, Subject: s, Size: size}); !slices.Contains(all, e) {
			all = append(all, e)
		}
	}
	ours := false
	for _, c := range cells {
		for _, s := range backends(c.Subject) {
			add(s)
		}
		ours = ours || c.Subject.Kind == soak.WorkStealingName
	}
	if !ours {
		return all
	}
	for _, s := range survey.Ours() {
		add(soak.SubjectName{Kind: s.Kind, Name: s.Name})
	}
	return all
}

// backends are those of a subject that an explorer knows, each as a subject.
func backends(s soak.SubjectName) (all []soak.SubjectName) {
	if s.Kind != soak.WorkStealingName && s.Kind != soak.ImportName {
		return nil
	}
	if s.Injector != "" {
		all = append(all, soak.SubjectName{Kind: s.Kind, Name: s.Name, Injector: s.Injector})
	}
	if s.Deque != "" {
		all = append(all, soak.SubjectName{Kind: s.Kind, Name: s.Name, Deque: s.Deque})
	}
	return all
}

// exploresImport reports whether the explorer must have the imported package.
func (p Plan) exploresImport() bool {
	return slices.ContainsFunc(p.Explorations, func(c Cell) bool { return c.Subject.Kind == soak.ImportName })
}

// rareCanaries are the queues and reclaimers whose faults take a schedule that a soak
// hardly ever meets, and the controls.
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
	for _, q := range slices.Concat(flawed.Equivalent[int](), flawed.Deques[int](), flawed.Injectors[int]()) {
		if q.Rare {
			add(q.Backend, q.Fault, q.Killers)
		}
	}
	return append(all, reclaimerCanaries()...)
}

func reclaimerCanaries() (all []Canary) {
	add := func(name, fault string, killers []record.Reason) {
		s := soak.SubjectName{Kind: soak.CanaryName, Name: name}
		all = append(all, Canary{Cell: Cell{Drill: ExploreDrill, Subject: s, Size: survey.Quick}, Fault: fault, Killers: killers})
	}
	add(flawed.Epochs().Name, "", []record.Reason{})
	for _, r := range flawed.FaultyReclaimers() {
		add(r.Name, r.Fault, r.Killers)
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
	kind, name := c.explored()
	params := []record.Param{{Name: kind, Value: name}}
	if c.Subject.Kind == soak.CanaryName {
		params = c.Subject.Params()
	}
	add := func(name string, n int) { params = append(params, record.Param{Name: name, Value: strconv.Itoa(n)}) }
	executions := c.Size.Executions
	switch kind {
	case survey.Injector:
		add("each", c.Size.Each)
	case survey.Deque:
		add("length", c.Size.Length)
	case survey.Reclaimer:
		add("word", c.Size.Word)
		add("pair", c.Size.Pair)
	case survey.Protocol:
		executions = c.Size.Protocol
	}
	add("executions", executions)
	return record.Key{Drill: ExploreDrill, Params: append(params, record.Param{Name: "mode", Value: "controlled"})}
}

// exploreCommand is the command that explores a subject, without bounds.
func (p Plan) exploreCommand(c Cell) string {
	kind, name := c.explored()
	if c.Subject.Kind == soak.ImportName {
		return "certify explore --import " + p.Import
	}
	return fmt.Sprintf("certify explore --%s %s", kind, name)
}

// repeatExplore is the command that explores a subject again.
func (p Plan) repeatExplore(c Cell) string {
	kind, _ := c.explored()
	bounds := fmt.Sprintf("--length %d --each %d --executions %d", c.Size.Length, c.Size.Each, c.Size.Executions)
	switch kind {
	case survey.Injector:
		bounds = "--deque none " + bounds
	case survey.Deque:
		bounds = "--injector none " + bounds
	case survey.Reclaimer:
		bounds = fmt.Sprintf("--word %d --pair %d --executions %d", c.Size.Word, c.Size.Pair, c.Size.Executions)
	case survey.Protocol:
		bounds = fmt.Sprintf("--executions %d", c.Size.Protocol)
	}
	if c.Subject.Kind == soak.ImportName {
		bounds = fmt.Sprintf("--length %d --each %d --executions %d", c.Size.Length, c.Size.Each, c.Size.Executions)
	}
	return p.exploreCommand(c) + " " + bounds
}

// explored is what a cell explores, in the words of the explorer. A canary that is no
// queue is a reclaimer.
func (c Cell) explored() (kind, name string) {
	switch s := c.Subject; {
	case s.Injector != "":
		return survey.Injector, s.Injector
	case s.Deque != "":
		return survey.Deque, s.Deque
	case s.Kind == survey.Protocol:
		return survey.Protocol, s.Name
	default:
		return survey.Reclaimer, s.Name
	}
}

// ExplorerFile and SitesFile are the explorer in the run directory, and how many
// places of the protocols, and of all other subjects, it does not control.
const (
	ExplorerFile = "explorer.bin"
	SitesFile    = "explorer.sites"
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
	packages := survey.Packages{
		Backends:   []string{module + "queues/catalog", module + "soak/faulty/flawed"},
		Reclaimers: []string{module + "soak/faulty/flawed"},
	}
	if p.exploresImport() {
		packages.Backends = append(packages.Backends, p.Import)
	}
	built, err := survey.Build(ctx, ".", temp, packages)
	if ctx.Err() != nil {
		return "", ErrInterrupted
	}
	if err != nil {
		return "", fmt.Errorf("campaign: %w", err)
	}
	sites := fmt.Sprintln(len(survey.Uncontrolled(built, survey.Protocol)), len(survey.Uncontrolled(built, "")))
	err = os.WriteFile(filepath.Join(dir, SitesFile), []byte(sites), 0o644)
	if err = errors.Join(err, ownersOnly(temp), syncFile(temp), os.Rename(temp, path)); err != nil {
		return "", fmt.Errorf("campaign: build explorer: %w", err)
	}
	return SHA256(path)
}

// runExplorer has the explorer in dir look at the cell, and returns what it printed,
// which is in the log too. A context that ends leaves no log.
func (c Cell) runExplorer(ctx context.Context, dir, log string, deadline time.Duration, limits guard.Limits) (exit child.Exit, out []byte, err error) {
	path, err := filepath.Abs(filepath.Join(dir, ExplorerFile))
	if err != nil {
		return exit, nil, fmt.Errorf("campaign: %w", err)
	}
	kind, name := c.explored()
	exit, err = child.Run(ctx, child.Spec{
		Path: path, Args: c.Size.Args(kind, name), Env: os.Environ(), LogPath: log, Deadline: deadline, Limits: limits, Foreign: true,
	})
	if ctx.Err() != nil {
		_ = os.Remove(log)
		return exit, nil, ErrInterrupted
	}
	if err != nil {
		return exit, nil, err
	}
	if out, err = os.ReadFile(log); err != nil {
		return exit, nil, fmt.Errorf("campaign: %w", err)
	}
	return exit, out, nil
}

// explore carries out an exploration and puts what came of it into the record.
func (c *Campaign) explore(ctx context.Context, cell Cell, r *record.Record, logPath string) error {
	exit, out, err := cell.runExplorer(ctx, c.Dir.Path(""), logPath, c.Plan.Deadline, c.Plan.limits())
	if err != nil {
		return err
	}
	r.ElapsedNs, r.CPUNs, r.PeakB = exit.Elapsed.Nanoseconds(), (exit.UserCPU + exit.SysCPU).Nanoseconds(), exit.Memory.PeakTreeB
	ruling := evidence{exit: exit}.explored(c.Plan, cell, out, r)
	r.Verdict, r.Reason, r.Detail = ruling.verdict, ruling.reason, ruling.detail
	kind, _ := cell.explored()
	if n, ok := sites(c.Dir.Path(SitesFile), kind); ok {
		r.Values = append(r.Values, record.Value{Unit: "uncontrolled-sites", Value: n})
	}
	return nil
}

// sites is how many places of a kind of subject are not under control, if it is known.
func sites(file, kind string) (n float64, ok bool) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, false
	}
	var protocols, others float64
	if _, err := fmt.Sscan(string(text), &protocols, &others); err != nil {
		return 0, false
	}
	if kind == survey.Protocol {
		return protocols, true
	}
	return others, true
}
