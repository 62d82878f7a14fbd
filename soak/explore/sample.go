package explore

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/exactlyonce/certify/soak/explore/control"
)

// Random runs orders in which each step is anybody's with equal probability.
func Random(runs int) Strategy { return sampling{"random", runs, 0} }

// POS gives each pending step a priority by chance, runs the highest, and draws
// anew for the steps that conflict with it.
func POS(runs int) Strategy { return sampling{"pos", runs, 0} }

// PCT runs the thread with the highest priority, which is given by chance and
// taken away at depth-1 steps given by chance. A failure that needs depth steps
// of several threads in a certain order is found by each run with probability
// 1/(n·k^(depth-1)) at least, for n threads and executions of up to k steps.
// Before the runs that count, k is measured.
func PCT(depth, runs int) Strategy { return sampling{"pct", runs, max(depth, 1)} }

type sampling struct {
	name  string
	runs  int
	depth int
}

func (s sampling) String() string {
	if s.depth > 0 {
		return fmt.Sprintf("%s(%d)x%d", s.name, s.depth, s.runs)
	}
	return fmt.Sprintf("%sx%d", s.name, s.runs)
}

func (s sampling) start(o Options) search {
	d := &draw{sampling: s, seed: o.Seed, source: rand.NewPCG(o.Seed, 0)}
	d.rng = rand.New(d.source)
	if s.depth > 0 {
		d.pilot = pilots
	}
	return d
}

// pilots are the runs that measure k; slack is added to what they see.
const pilots = 64

// draw is a sampling strategy at work. Each run has a source of its own, made
// from the seed and the number of the run.
type draw struct {
	sampling
	seed   uint64
	run    uint64
	source *rand.PCG
	rng    *rand.Rand
	done   int // runs that count

	priority [control.MaxThreads]uint64
	known    int // threads that have a priority

	pilot    int // runs left that only measure
	n, k     int // threads and steps that PCT reckons with
	seen     int // most steps
	changes  []int
	restarts int
}

func (d *draw) begin(*control.Execution) {
	d.run++
	d.source.Seed(d.seed, d.run)
	d.known = 0
	d.changes = d.changes[:0]
	if d.pilot == 0 {
		for range d.depth - 1 {
			d.changes = append(d.changes, d.rng.IntN(d.k))
		}
	}
}

// Pick implements control.Picker.
func (d *draw) Pick(x *control.Execution, enabled control.Set) int {
	if d.name == "random" || d.pilot > 0 {
		return nth(enabled, d.rng.IntN(bits.OnesCount64(uint64(enabled))))
	}
	for ; d.known < x.Threads(); d.known++ {
		d.priority[d.known] = d.fresh()
	}
	t := highest(&d.priority, enabled)
	// Step i is a change point: whoever would go on here falls to place i.
	for {
		i := slices.Index(d.changes, len(x.Events()))
		if i < 0 {
			return t
		}
		d.changes[i] = -1
		d.priority[t] = uint64(i)
		t = highest(&d.priority, enabled)
	}
}

// fresh is a priority above those that PCT takes away to.
func (d *draw) fresh() uint64 { return d.rng.Uint64() | 1<<32 }

func highest(priority *[control.MaxThreads]uint64, enabled control.Set) (best int) {
	best = -1
	for s := enabled; s != 0; s &= s - 1 {
		if t := bits.TrailingZeros64(uint64(s)); best < 0 || priority[t] > priority[best] {
			best = t
		}
	}
	return best
}

// nth is the i-th member of s.
func nth(s control.Set, i int) int {
	for ; i > 0; i-- {
		s &= s - 1
	}
	return bits.TrailingZeros64(uint64(s))
}

// Commit implements control.Picker.
func (d *draw) Commit(x *control.Execution, i int) {
	if d.name != "pos" {
		return
	}
	e := &x.Events()[i]
	for t := range d.known {
		loc, kind, _, done := x.Pending(t)
		if int32(t) == e.Thread || !done && loc == e.Loc && (e.Wrote || kind != control.KindRead) {
			d.priority[t] = d.fresh()
		}
	}
}

func (d *draw) next(x *control.Execution, _ control.End) (bool, error) {
	steps := len(x.Events())
	d.seen = max(d.seen, steps)
	d.n = max(d.n, x.Threads())
	switch {
	case d.pilot > 1:
		d.pilot--
		return true, nil
	case d.pilot == 1:
		d.pilot = 0
		d.k = d.seen + d.seen/4 + 1
		return true, nil
	case d.depth > 0 && steps > d.k: // the guarantee was for shorter executions
		d.k = d.seen + d.seen/4 + 1
		d.done = 0
		d.restarts++
		return true, nil
	}
	d.done++
	return d.done < d.runs, nil
}

func (d *draw) report(r *Report) {
	r.Exhausted = false
	r.Restarts = d.restarts
	if d.depth > 0 && d.n > 0 && d.k > 0 {
		r.Bound = 1 / (float64(d.n) * math.Pow(float64(d.k), float64(d.depth-1)))
		r.Miss = math.Exp(float64(d.done) * math.Log1p(-r.Bound))
	}
}
