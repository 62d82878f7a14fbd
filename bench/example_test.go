package bench_test

import (
	"errors"
	"fmt"

	"github.com/exactlyonce/certify/bench"
)

// A case is selected by its name, opened, run a few times and closed.
func Example() {
	cases, err := bench.Select(bench.Cases(), "^Own/queue=chaselev/")
	if err != nil {
		panic(err)
	}
	for _, c := range cases {
		arm, err := c.Open()
		if err != nil {
			panic(err)
		}
		fmt.Println(c.Name)
		for _, n := range []int{100, 1000} { // the first warms up
			metrics, err := bench.Measure(arm, n)
			fmt.Println(n, metrics[0].Unit, metrics[0].Value > 0, err)
		}
		if err := arm.Close(); err != nil {
			panic(err)
		}
	}
	// Output:
	// Own/queue=chaselev/burst=1
	// 100 ns/op true <nil>
	// 1000 ns/op true <nil>
	// Own/queue=chaselev/burst=64
	// 100 ns/op true <nil>
	// 1000 ns/op true <nil>
}

// limited is a pool of somebody else: no more goroutines than it has places,
// and what finds none runs where it is.
type limited struct{ places chan struct{} }

type reply chan int

func (p limited) Submit(body func(struct{}) (int, error)) (reply, error) {
	p.places <- struct{}{}
	return p.start(body), nil
}

func (p limited) Spawn(_ struct{}, body func(struct{}) (int, error)) reply {
	select {
	case p.places <- struct{}{}:
		return p.start(body)
	default:
		r := make(reply, 1)
		r.run(body)
		return r
	}
}

func (p limited) start(body func(struct{}) (int, error)) reply {
	r := make(reply, 1)
	go func() {
		r.run(body)
		<-p.places
	}()
	return r
}

func (r reply) run(body func(struct{}) (int, error)) {
	if v, err := body(struct{}{}); err == nil {
		r <- v
	}
	close(r)
}

func (p limited) Await(r reply) (int, error) {
	if v, ok := <-r; ok {
		return v, nil
	}
	return 0, errors.New("the task failed")
}

func (p limited) Join(_ struct{}, r reply) (int, error) { return p.Await(r) }

func (p limited) Close() error {
	for range cap(p.places) { // all come free
		p.places <- struct{}{}
	}
	return nil
}

// The benchmarks run on any executor that can be dressed as a Pool.
func ExamplePoolCases() {
	open := func(workers int) (bench.Pool[struct{}, reply], error) {
		return limited{make(chan struct{}, 8*workers)}, nil
	}
	cases, err := bench.Select(bench.PoolCases("limited", open), "^(Queens|Sort)/")
	if err != nil {
		panic(err)
	}
	for _, c := range cases {
		arm, err := c.Open()
		if err != nil {
			panic(err)
		}
		_, err = arm.Run(2)
		fmt.Println(c.Family(), err, arm.Close())
	}
	// Output:
	// Queens <nil> <nil>
	// Sort <nil> <nil>
}
