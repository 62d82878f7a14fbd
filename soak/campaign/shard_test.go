package campaign

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/exactlyonce/certify/reports/record"
	"github.com/exactlyonce/certify/soak"
)

// sharded is a plan of five groups: two subjects in each but one.
func sharded() Plan {
	var cells []Cell
	for _, tasks := range []int{400_000, 300_000, 200_000, 100_000} {
		for _, s := range []string{"mutex", "msqueue"} {
			c := workStealing(s, "mutex")
			c.Tasks = tasks
			cells = append(cells, c)
		}
	}
	cells = append(cells, goroutines(3, 1))
	return plan(10, cells...)
}

func TestGroups(t *testing.T) {
	groups := sharded().Groups()
	var sizes []int
	for _, g := range groups {
		sizes = append(sizes, len(g.Cells))
	}
	if want := []int{2, 2, 2, 2, 1}; !slices.Equal(sizes, want) {
		t.Errorf("groups of %v cells, want %v", sizes, want)
	}
	if got := groups[0].Name; got != "exactly-once/workers=2/tasks=400000/batch=64" {
		t.Errorf("named %s", got)
	}
	// 2 subjects x 10 repetitions x 0.4 of the card's size.
	if got, want := groups[0].Cost, 8*aboutDrill+20*aboutProcess; got.Round(time.Millisecond) != want {
		t.Errorf("cost %v, want %v", got, want)
	}
}

// TestShards: every group is in one shard, every shard has one, none has more to
// do than it must, and all machines come to the same.
func TestShards(t *testing.T) {
	p := sharded()
	for n := 1; n <= 5; n++ {
		shards, err := p.Shards(n)
		if err != nil {
			t.Fatal(err)
		}
		again, _ := p.Shards(n)
		if !reflect.DeepEqual(shards, again) {
			t.Errorf("%d: not the same again", n)
		}
		seen := map[string]int{}
		var most time.Duration
		for _, groups := range shards {
			var sum time.Duration
			for _, g := range groups {
				seen[g.Name]++
				sum += g.Cost
			}
			if len(groups) == 0 {
				t.Errorf("%d: a shard is empty", n)
			}
			most = max(most, sum)
		}
		for _, g := range p.Groups() {
			if seen[g.Name] != 1 {
				t.Errorf("%d: %s is in %d shards", n, g.Name, seen[g.Name])
			}
		}
		best := max(p.About()/time.Duration(n), p.Groups()[0].Cost)
		if most > best*4/3 {
			t.Errorf("%d: one has %v to do, the best is %v", n, most, best)
		}
	}
	for _, n := range []int{0, -1, 6, 1 << 30} {
		if _, err := p.Shards(n); err == nil {
			t.Errorf("%d shards of 5 groups: accepted", n)
		}
	}
}

// TestPart: the parts are the whole, and a repetition in one has the seed that
// it has there.
func TestPart(t *testing.T) {
	p := sharded()
	total := 0
	for i := 1; i <= 4; i++ {
		part, err := p.Part(record.Shard{Index: i, Of: 4})
		if err != nil {
			t.Fatal(err)
		}
		total += part.Total()
		for _, c := range part.Cells {
			if !slices.Contains(p.Cells, c) || part.spec(c, 3) != p.spec(c, 3) {
				t.Errorf("%v: not as in the whole", c)
			}
		}
	}
	if total != p.Total() {
		t.Errorf("%d repetitions in the parts, %d in the whole", total, p.Total())
	}
	for _, whole := range []record.Shard{{}, {Of: 4}} {
		if got, err := p.Part(whole); err != nil || !reflect.DeepEqual(got, p) {
			t.Errorf("%v: %v, %v", whole, got, err)
		}
	}
	if _, err := p.Part(record.Shard{Index: 1, Of: 6}); err == nil {
		t.Error("more shards than groups: accepted")
	}
}

// TestCost: a drill's own size costs the same for every drill, for the sizes were
// chosen so; exactly-once has the card's.
func TestCost(t *testing.T) {
	for _, d := range soak.Drills() {
		size := d.Tasks
		if d.Name == soak.ExactlyOnce {
			size = soak.CardTasks
		}
		if got := (Cell{Drill: d.Name, Tasks: size}).cost(); got != aboutDrill+aboutProcess {
			t.Errorf("%s: %v, want %v", d.Name, got, aboutDrill+aboutProcess)
		}
	}
}
