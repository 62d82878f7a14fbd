// Command driver explores counter, and says what came of it.
package main

import (
	"fmt"
	"sync"

	"example.com/dep"
	"example.com/subject/counter"
	"github.com/exactlyonce/certify/soak/explore"
)

func main() {
	runs := 0
	r, err := explore.Run(func(t *explore.T) {
		c, g := new(counter.Counter[int]), &dep.Guarded{Mu: new(sync.Mutex)}
		t.Go(func() { counter.Start(c, g).Wait() })
		t.Check(func() error {
			runs++
			if got := fmt.Sprint(c.All(), g.N); got != "[8 8 8 8 8] 1" {
				return fmt.Errorf("counted %s", got)
			}
			return nil
		})
	}, explore.Options{Strategy: explore.POS(500)})
	fmt.Println(r.Verdict(), r.Executions, r.Threads, err)
	if r.Failure != nil {
		fmt.Println(r.Failure)
	}
	r, err = explore.Run(func(t *explore.T) {
		c := new(counter.Counter[int])
		t.Go(c.Lose)
		t.Go(c.Lose)
		t.Go(func() { c.Add(1) })
	}, explore.Options{Classes: true})
	fmt.Println(r.Verdict(), r.Executions == r.Classes, r.Executions > 3, r.Exhausted, err)
}
