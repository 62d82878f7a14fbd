// Planted has a data race between two goroutines which record what they do around
// it, with the clock that its argument names: time or counter. It is run under the
// race detector.
package main

import (
	"fmt"
	"os"
	"runtime"
	"sync"

	"github.com/exactlyonce/certify/soak/monitor"
)

var planted int

func main() {
	clock := monitor.Time
	if os.Args[1] == "counter" {
		clock = monitor.Counter
	}
	runtime.GOMAXPROCS(1) // so that one goroutine is done before the other begins
	r := monitor.NewRecorder(clock, 2, 2)
	var both sync.WaitGroup
	for worker := range 2 {
		both.Go(func() {
			l := r.Log(worker)
			begin := l.Now()
			planted++
			l.Add(monitor.Op{Begin: begin, End: l.Now()})
		})
	}
	both.Wait()
	fmt.Println("recorded", len(r.Collect(nil)))
}
