// Package soak runs drills: stress workloads with a law that each checks.
//
// A [Drill] runs against a [Subject], one running executor, which an
// [Executor] made for it. The exactly-once drill submits a million tasks in
// batches and keeps a [Ledger] with one bit a task:
//
//	one submit from outside ──▶ spawner ──▶ n probes, spawned inside a worker,
//	                                        so that its peers must steal them
//
// Every check has two doors: [Check] returns an [Outcome], which the command
// records, and [Run] takes a *testing.T, for people's own tests:
//
//	func TestSoak(t *testing.T) { soak.Run(t, Executor(), soak.Spec{}) }
//
// A repetition is one drill in a process of its own: package soak/campaign
// starts them, and Repetition is what such a process runs.
//
// Evidence is one-sided. A violation is real; a pass says that this run, with
// these counts of steals and wakes, saw none. The race detector sees more:
// run the tests with -race. The drills injector and deque record the whole history
// of a bare queue, for package soak/monitor to judge. What is not here: schedules
// under control (soak/explore), known-bad subjects (soak/faulty).
package soak
