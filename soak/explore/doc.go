// Package explore runs small concurrent programs in many orders, or in all.
//
//	report, err := explore.Run(func(t *explore.T) {
//		var n atomic.Int64 // of explore/atomic
//		t.Go(func() { n.Store(n.Load() + 1) })
//		t.Go(func() { n.Store(n.Load() + 1) })
//		t.Check(func() error { return want(2, n.Load()) })
//	}, explore.Options{})
//
// The program makes its state, declares threads and checks what is left. Its
// shared memory goes through the shims explore/atomic and explore/sync, which
// have the API of sync/atomic and sync; package explore/rewrite puts them under
// source that does not know of them. Package explore/control says how a
// program is controlled; this package decides in which orders it runs.
//
// Go's atomics are sequentially consistent and a program without data races
// behaves as if its steps were interleaved (https://go.dev/ref/mem), so the
// orders of steps are all there is. Whether there is a data race is not seen
// here: coroutines order everything. A clean run of the race detector in a
// build without shims belongs to every claim made from an exploration.
//
// Strategies: [Exhaustive] runs one order of each class, two orders being of
// one class if they differ only in steps that do not touch the same location,
// or only read it. [Preemptions] finds the simplest failure first. [PCT],
// [POS] and [Random] sample programs that are too large, PCT with a guarantee.
//
// A report says exhausted only if every class was run. The claim is about the
// program given, up to Options.Steps steps; loops that wait for a store are
// taken to have no other effect (see Options.Spin).
//
// Source: Abdulla, Aronis, Jonsson and Sagonas, Optimal dynamic partial order
// reduction, POPL 2014 (source sets); Burckhardt and others, A randomized
// scheduler with probabilistic guarantees of finding bugs, ASPLOS 2010 (PCT);
// Yuan, Yang and Gu, Partial order aware concurrency sampling, CAV 2018 (POS).
package explore
