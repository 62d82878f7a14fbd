package bench

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/exactlyonce/certify/internal/stress"
)

// small is for tests: as many tasks as make every branch run.
var small = sizes{
	width: 16, fib: 8, queens: 5, tree: 20, sort: 300, queued: 32,
	idle: time.Millisecond, every: []time.Duration{time.Microsecond},
}

// lengths are the runs that a case of the family is put through. Where an
// operation is a whole problem, there are fewer.
func lengths(family string) []int {
	switch family {
	case "Idle", "Memory":
		return []int{1, 2}
	case "Fib", "Queens", "Tree", "Sort":
		return []int{1, 2, stress.Rounds(63)}
	}
	return []int{1, 2, 63, 1000}
}

// Every case runs, again and again, and finds that what came out is right. It
// measures nothing but what has a known unit and is a number.
func TestEveryCaseRuns(t *testing.T) {
	stress.Watchdog(t)
	cases := slices.Concat(QueueCases(rows()...), ourPoolCases(2, small))
	if len(cases) < 100 {
		t.Fatalf("there are only %d cases", len(cases))
	}
	known := []string{unitTime, unitBytes, unitAllocs}
	for _, u := range Units() {
		known = append(known, u.Name)
	}
	seen := map[string]bool{}
	for _, c := range cases {
		arm, err := c.Open()
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range lengths(c.Family()) {
			metrics, err := Measure(arm, n)
			if err != nil {
				t.Fatalf("n=%d: %v", n, err)
			}
			for _, m := range metrics {
				seen[m.Unit] = true
				if !slices.Contains(known, m.Unit) {
					t.Errorf("%s: unit %s is not known", c.Name, m.Unit)
				}
				// Memory may shrink while tasks wait, if little else is going on.
				if math.IsNaN(m.Value) || math.IsInf(m.Value, 0) || m.Value < 0 && m.Unit != unitTaskB {
					t.Errorf("%s: n=%d: %v %s", c.Name, n, m.Value, m.Unit)
				}
			}
		}
		if err := arm.Close(); err != nil {
			t.Error(err)
		}
	}
	for _, u := range known {
		if !seen[u] && u != unitCPU && u != unitIdle { // which not every platform has
			t.Errorf("nothing measures %s", u)
		}
	}
}

// With one worker, too, no case waits for ever.
func TestOneWorkerIsEnough(t *testing.T) {
	stress.Watchdog(t)
	for _, c := range ourPoolCases(1, small) {
		arm, err := c.Open()
		if err == nil {
			_, err = arm.Run(2)
		}
		if err == nil {
			err = arm.Close()
		}
		if err != nil {
			t.Error(err)
		}
	}
}

// The answers are those that everybody knows, or has counted once.
func TestAnswers(t *testing.T) {
	check := func(what string, got, want int) {
		t.Helper()
		if got != want {
			t.Errorf("%s = %d, want %d", what, got, want)
		}
	}
	check("fib(25)", fib(normal.fib), 75025)
	for n, want := range []int{1: 1, 2: 0, 3: 0, 4: 2, 5: 10, 6: 4, 7: 40, 8: 92} {
		if n > 0 {
			solutions, _ := board{n: n}.count()
			check("queens", solutions, want)
		}
	}
	_, nodes := board{n: 8}.count()
	check("boards with 8 queens or less", nodes, 2057)
	tree := 1
	for i := range normal.tree {
		tree += node(treeSeed).child(i).count()
	}
	check("nodes of the tree", tree, normalTree)
}

// normalTree is how many nodes the benchmark's tree has, for ever: another
// number makes its figures another benchmark's.
const normalTree = 5017

// sumOf is what pushing one by one sums up to, and share gives all of it away.
func TestSharesAndSums(t *testing.T) {
	for _, n := range []int{0, 1, 2, cycle - 1, cycle, cycle + 1, 3*cycle + 17} {
		var want uint64
		for i := range n {
			want += item(i).mark
		}
		if got := sumOf(n); got != want {
			t.Errorf("sum of %d items %x, want %x", n, got, want)
		}
		for k := 1; k <= 5; k++ {
			next := 0
			for i := range k {
				from, to := share(n, k, i)
				if from != next || to < from || to-from > n/k+1 {
					t.Errorf("share %d of %d of %d: [%d, %d)", i, k, n, from, to)
				}
				next = to
			}
			if next != n {
				t.Errorf("%d shares of %d have %d", k, n, next)
			}
		}
	}
}

func TestSorted(t *testing.T) {
	for _, s := range [][]int{{2, 1, 3}, {1, 2, 2}, {1, 2, 4}} {
		if checkSorted(s, 6) == nil {
			t.Errorf("%v passes for 1 2 3 sorted", s)
		}
	}
	random := stress.Random(t)
	for range stress.Rounds(1000) {
		s := make([]int, 4+random.IntN(200))
		for i := range s {
			s[i] = random.IntN(1 + random.IntN(100)) // many are equal
		}
		m := partition(s)
		if m == 0 || m == len(s)-1 || slices.Max(s[:m]) > s[m] || slices.Min(s[m+1:]) < s[m] {
			t.Fatalf("at %d of %v", m, s)
		}
	}
}
