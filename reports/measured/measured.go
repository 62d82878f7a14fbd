package measured

import (
	"fmt"

	"github.com/exactlyonce/certify/reports"
	"github.com/exactlyonce/certify/reports/compare"
)

// Input is what there is to show. All sets of one field should have one name,
// which is that of their column.
type Input struct {
	Benchmarks []*compare.Set // of this run
	// Repetitions are those of the run in the Go benchmark format, which are
	// compared with Before and nothing else: the report tells of them itself.
	Repetitions []*compare.Set
	Before      []*compare.Set // of an earlier run
}

// sections is what Sections returns, in its order; those without blocks are left
// out.
var sections = []struct {
	id, title string
	build     func(Input, []*family) ([]reports.Block, error)
}{
	{"bench", "Benchmarks", tables},
	{"bench-scaling", "Scaling of the benchmarks", scaling},
	{"bench-latency", "Latency", latency},
	{"bench-mutex", "Benchmarks against the mutex baseline", againstMutex},
	{"bench-before", "Against the earlier run", againstBefore},
}

// Sections builds the sections. An error is that sets contradict each other about
// a unit, or that benchmarks hold no result but of repetitions.
func Sections(in Input) (all []reports.Section, err error) {
	var families []*family
	if len(in.Benchmarks) > 0 {
		if families, err = familiesOf(in.Benchmarks); err != nil {
			return nil, fmt.Errorf("measured: %w", err)
		}
	}
	for _, s := range sections {
		blocks, err := s.build(in, families)
		if err != nil {
			return nil, fmt.Errorf("measured: %s: %w", s.id, err)
		}
		if len(blocks) > 0 {
			all = append(all, reports.Section{ID: s.id, Title: s.title, Blocks: blocks})
		}
	}
	return all, nil
}

// perBuild are keys that differ from build to build, as two runs may that are
// compared.
const perBuild = "commit,certify"

// soak is the family of repetitions.
const soak = "Soak"
