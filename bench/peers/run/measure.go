package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/exactlyonce/certify/bench"
	"github.com/exactlyonce/certify/bench/peers"
	"github.com/exactlyonce/certify/bench/sitting"
	"github.com/exactlyonce/certify/soak/machine"
)

// measurement is a sitting for each family, one after the other.
type measurement struct {
	plan               sitting.Plan
	began              time.Time
	load               string // at the start
	windows, disturbed int
	noise, incomplete  []string
	results            bytes.Buffer
}

func newMeasurement(ctx context.Context, plan sitting.Plan) *measurement {
	return &measurement{plan: plan, began: time.Now(), load: machine.Read(ctx).Load}
}

// idleRounds are those of what takes seconds and does nothing.
const idleRounds = 3

// all measures the cases, family by family. What one of them fails with is the error,
// and the others are measured all the same.
func (m *measurement) all(ctx context.Context, cases []bench.Case) (failed error) {
	var order []string
	families := map[string][]bench.Case{}
	for _, c := range cases {
		work := group(c.Name)
		if families[work] == nil {
			order = append(order, work)
		}
		families[work] = append(families[work], c)
	}
	for i, work := range order {
		if ctx.Err() != nil {
			return errors.Join(failed, ctx.Err())
		}
		fmt.Fprintf(os.Stderr, "peers: %v: %s, %d of %d, %d arms\n", time.Since(m.began).Round(time.Second), work, i+1, len(order), len(families[work]))
		if err := m.family(ctx, work, families[work]); err != nil {
			m.incomplete = append(m.incomplete, work)
			failed = errors.Join(failed, err)
		}
	}
	return failed
}

// group is what is measured in one sitting: a family, of submits those of as many
// submitters.
func group(name string) string {
	parts := strings.Split(name, "/")
	if parts[0] == "Submit" {
		return parts[0] + "/" + parts[1]
	}
	return parts[0]
}

func (m *measurement) family(ctx context.Context, work string, cases []bench.Case) error {
	plan := m.plan
	if work == "Idle" {
		plan.Samples = min(plan.Samples, idleRounds)
	}
	s, err := sitting.New(cases, plan)
	if err != nil {
		return err
	}
	report, err := s.Run(ctx, func(sitting.Sample) {})
	m.windows += len(report.Samples)
	m.disturbed += report.Disturbed
	m.noise = append(m.noise, noise(work, report)...)
	for i, sample := range report.Samples {
		report.Samples[i].Metrics = peers.Own(sample.Case, sample.Metrics)
	}
	return errors.Join(err, s.Close(), report.Write(&m.results, nil))
}

// noise says how much the twins of a family differ.
func noise(work string, r *sitting.Report) []string {
	rates := map[string]float64{}
	for _, n := range r.Noise() {
		rates[n.Unit] = n.Rate
	}
	if len(rates) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s %.0f %% and %.0f %%", work, 100*rates["ns/op"], 100*rates["cpu-ns/op"])}
}

// write writes what is known of the measurement, and its samples.
func (m *measurement) write(ctx context.Context, w io.Writer, sizes peers.Sizes, lacking []string) error {
	facts := machine.Read(ctx)
	config := map[string]string{
		"goos": facts.GOOS, "goarch": facts.GOARCH, "cpu": facts.CPU, "go": facts.Go, "commit": facts.Commit,
		"processors": fmt.Sprintf("%d, of which %d are used", facts.CPUs, runtime.GOMAXPROCS(0)),
		"system":     fmt.Sprintf("%s/%s, %s, virtual: %s", facts.GOOS, facts.GOARCH, facts.Kernel, facts.Virtual),
		"date":       m.began.UTC().Format("2006-01-02 15:04 UTC"),
		"load":       m.load + "; " + facts.Load,
		"plan":       fmt.Sprintf("%d, %v at least, seed %d", m.plan.Samples, m.plan.Window, m.plan.Seed),
		"sizes":      fmt.Sprintf("batches of %d, fib(%d), a backlog of %d, idle for %v", sizes.Million, sizes.Fib, sizes.Queued, sizes.Idle),
		"disturbed":  fmt.Sprintf("%d of %d", m.disturbed, m.windows),
		"noise":      strings.Join(m.noise, ", "),
		"lacking":    strings.Join(lacking, "; "),
		"incomplete": strings.Join(m.incomplete, ", "),
	}
	if m.plan.AnyNoise {
		config["disturbed"] = "not looked at"
	}
	for _, key := range slices.Sorted(maps.Keys(config)) {
		if config[key] == "" {
			continue
		}
		if _, err := fmt.Fprintf(w, "%s: %s\n", key, config[key]); err != nil {
			return err
		}
	}
	_, err := m.results.WriteTo(w)
	return err
}
