package explore_test

import (
	"fmt"

	"github.com/exactlyonce/certify/soak/explore"
	"github.com/exactlyonce/certify/soak/explore/atomic"
)

// Two threads count, and one does it in two steps.
func ExampleRun() {
	report, err := explore.Run(func(t *explore.T) {
		var n atomic.Int64
		t.Name("n", &n)
		t.Go(func() { n.Store(n.Load() + 1) })
		t.Go(func() { n.Add(1) })
		t.Check(func() error {
			if got := n.Load(); got != 2 {
				return fmt.Errorf("counted %d of 2", got)
			}
			return nil
		})
	}, explore.Options{Strategy: explore.Preemptions(2)})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(report.Failure)
	for _, step := range report.Failure.Story {
		fmt.Println(step.Thread, step.Place, step.Op, step.Values)
	}
	// Output:
	// explore: wrong: counted 1 of 2, schedule aba
	// 0 n Load [0]
	// 1 n Add [1 1]
	// 0 n Store [1]
}
