package explore

import (
	"fmt"
	"math/bits"

	"github.com/exactlyonce/certify/soak/explore/control"
)

// Interleavings runs every order, without regard to classes. It is there to
// validate the others.
func Interleavings() Strategy { return preemptions{-1} }

// Preemptions runs every order with no preemption, then every one with at most
// 1, and so on up to most. A preemption is a switch away from a thread that
// could go on. The first failure is one with the fewest.
func Preemptions(most int) Strategy { return preemptions{most} }

// preemptions is both; most is negative when there is no bound.
type preemptions struct{ most int }

func (s preemptions) String() string {
	if s.most < 0 {
		return "interleavings"
	}
	return fmt.Sprintf("preemptions<=%d", s.most)
}

func (s preemptions) start(Options) search {
	return &tree{most: s.most}
}

// choice is a state on the path: who can still be chosen in it.
type choice struct {
	enabled control.Set
	left    control.Set
	chosen  int
	spent   int // preemptions up to here, without this choice
	running int // who ran last and can go on, or -1
}

// tree walks all paths by going back to the last choice with something left.
type tree struct {
	most   int
	level  int
	count  int
	levels []int
	path   []choice
	log    []control.Event
	depth  int
	err    error
}

func (d *tree) begin(*control.Execution) {}

func (d *tree) report(r *Report) { r.Levels = d.levels }

func (d *tree) Pick(x *control.Execution, enabled control.Set) int {
	i := len(x.Events())
	if d.err != nil {
		return -1
	}
	if i < d.depth {
		if d.path[i].enabled != enabled {
			d.err = differ(i, d.log[i], d.log[i])
			return -1
		}
		return d.path[i].chosen
	}
	c := choice{enabled: enabled, left: enabled, running: -1}
	if i > 0 {
		c.spent = d.path[i-1].spent + d.path[i-1].cost()
		if last := x.Last(); enabled.Has(last) {
			c.running = last
		}
	}
	d.take(&c)
	d.path = append(d.path, c)
	return c.chosen
}

// cost is 1 if the choice is a preemption.
func (c *choice) cost() int {
	if c.running >= 0 && c.running != c.chosen {
		return 1
	}
	return 0
}

// take chooses from what is left, which is not empty: first to go on.
func (d *tree) take(c *choice) {
	c.chosen = bits.TrailingZeros64(uint64(c.left))
	if c.running >= 0 && c.left.Has(c.running) {
		c.chosen = c.running
		if d.most >= 0 && c.spent >= d.level {
			c.left = control.One(c.chosen) // no preemption left
		}
	}
	c.left &^= control.One(c.chosen)
}

func (d *tree) Commit(x *control.Execution, i int) {
	e := x.Events()[i]
	if i < d.depth-1 {
		if e != d.log[i] && d.err == nil {
			d.err = differ(i, d.log[i], e)
		}
		return
	}
	d.log = append(d.log[:i], e)
}

func (d *tree) next(*control.Execution, control.End) (bool, error) {
	d.count++
	if d.err != nil {
		return false, d.err
	}
	for i := len(d.path) - 1; i >= 0; i-- {
		if c := &d.path[i]; c.left != 0 {
			d.take(c)
			d.path = d.path[:i+1]
			d.depth = i + 1
			return true, nil
		}
	}
	if d.most < 0 {
		return false, nil
	}
	d.levels = append(d.levels, d.count)
	d.level++
	d.count, d.depth, d.path = 0, 0, d.path[:0]
	return d.level <= d.most, nil
}
