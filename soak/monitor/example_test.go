package monitor_test

import (
	"fmt"

	"github.com/exactlyonce/certify/soak/monitor"
)

// Two producers push, one after the other, and a consumer gets the later value
// first. Three calls show that this was no first-in-first-out queue.
func ExampleCriterion_Check() {
	r := monitor.NewRecorder(monitor.Counter, 3, 100)
	call := func(worker int, op monitor.Op) {
		l := r.Log(worker)
		op.Begin = l.Now()
		// here the queue is called
		op.End = l.Now()
		l.Add(op)
	}
	call(0, monitor.Op{Kind: monitor.Push, Value: 1})
	call(1, monitor.Op{Kind: monitor.Push, Value: 2})
	call(2, monitor.Op{Kind: monitor.Pop, Value: 2})
	call(2, monitor.Op{Kind: monitor.Pop, Value: 1})

	h := r.Collect(nil)
	fmt.Println(monitor.Bag.Check(h, monitor.Options{}) == nil)
	fmt.Println(monitor.FIFO.Check(h, monitor.Options{}))
	// Output:
	// true
	// order: value 2 overtakes value 1 (what was pushed before another value began to be is not taken after it)
	//   begin  end  worker 0  worker 1  worker 2
	//   0      1    push 1
	//   2      3              push 2
	//   4      5                        pop → 2
	//   6      7                        pop → 1
}

// What is not checked is named, with the promise that is missing.
func ExampleCriterion_Rules() {
	for _, r := range monitor.ProducerFIFO.Rules(monitor.Options{WeakEmpty: true, Drained: true}) {
		if r.Omitted != "" {
			fmt.Printf("%s: %s\n", r.Name, r.Omitted)
		}
	}
	// Output:
	// empty: EMPTY is declared weak
	// overflow: no bound is declared
}
