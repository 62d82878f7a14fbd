package campaign

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/exactlyonce/certify/reports/record"
	"github.com/exactlyonce/certify/soak"
)

// Group is what stays on one machine: the cells that differ in their subject
// only, with all their repetitions. Figures of two machines do not compare.
type Group struct {
	Name  string
	Cells []Cell
	// Cost is about how long it takes; of a group against another it says more
	// than of itself.
	Cost time.Duration
}

// About how long a repetition takes under the race detector, on a machine of two
// processors: to begin and end the process, and for a drill's own size, which
// was chosen so.
const (
	aboutProcess = 300 * time.Millisecond
	aboutDrill   = 3 * time.Second
)

// Groups are the comparison groups of the plan, in its order.
func (p Plan) Groups() (groups []Group) {
	at := map[string]int{}
	for _, c := range p.Cells {
		name := fmt.Sprintf("%s/workers=%d/tasks=%d/batch=%d", c.Drill, c.Workers, c.Tasks, c.Batch)
		if c.Procs > 0 {
			name += fmt.Sprintf("/procs=%d", c.Procs)
		}
		if c.Perturb != "" {
			name += "/perturb=" + c.Perturb
		}
		i, ok := at[name]
		if !ok {
			i = len(groups)
			at[name] = i
			groups = append(groups, Group{Name: name})
		}
		groups[i].Cells = append(groups[i].Cells, c)
		groups[i].Cost += c.cost() * time.Duration(p.Reps)
	}
	return groups
}

// cost of a repetition.
func (c Cell) cost() time.Duration {
	size := soak.CardTasks
	if d, err := soak.FindDrill(c.Drill); err == nil && d.Name != soak.ExactlyOnce {
		size = d.Tasks
	}
	return aboutProcess + time.Duration(float64(aboutDrill)*float64(c.Tasks)/float64(size))
}

// About is about how long the plan takes.
func (p Plan) About() (sum time.Duration) {
	for _, g := range p.Groups() {
		sum += g.Cost
	}
	return sum
}

// Shards deals the groups out to n machines, the costliest first and each to the
// one that has least to do (R. L. Graham, Bounds on multiprocessing timing
// anomalies, SIAM J. Appl. Math. 17 (1969), section 5: at most 4/3 of the best).
// It depends on the plan alone, so that every machine comes to the same. With
// fewer groups than machines it is an error.
func (p Plan) Shards(n int) ([][]Group, error) {
	groups := p.Groups()
	if n < 1 || n > len(groups) {
		return nil, fmt.Errorf("campaign: plan: %d shards: it has %s to deal out, and one stays on one machine", n, count(len(groups), "comparison group"))
	}
	slices.SortStableFunc(groups, func(a, b Group) int { return cmp.Compare(b.Cost, a.Cost) })
	shards, costs := make([][]Group, n), make([]time.Duration, n)
	for _, g := range groups {
		least := slices.Index(costs, slices.Min(costs)) // 0 while one is empty: no group costs nothing
		shards[least] = append(shards[least], g)
		costs[least] += g.Cost
	}
	return shards, nil
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Part is the plan of a shard: with its cells only, each with the repetitions
// and the seeds that it has in the whole. A shard that is no part is the whole.
func (p Plan) Part(s record.Shard) (Plan, error) {
	if !s.Part() {
		return p, nil
	}
	shards, err := p.Shards(s.Of)
	if err != nil {
		return p, err
	}
	p.Cells = nil
	for _, g := range shards[s.Index-1] {
		p.Cells = append(p.Cells, g.Cells...)
	}
	p.Explorations = dealt(p.Explorations, s)
	p.Canaries = dealt(p.Canaries, s)
	return p, nil
}

// dealt is what a shard has of things that take little.
func dealt[T any](all []T, s record.Shard) (part []T) {
	for i := s.Index - 1; i < len(all); i += s.Of {
		part = append(part, all[i])
	}
	return part
}
