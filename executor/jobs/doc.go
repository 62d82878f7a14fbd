// Package jobs supervises named jobs on an executor: who runs under which id,
// what a cancel may still change, and what is known after a crash.
//
//	s, recovered, err := jobs.New(e, jobs.Config{Capacity: 100, Store: store})
//	h, err := s.Start(ctx, "build-17", jobs.Job{Run: build, Finalize: copyArtifacts})
//	err = s.Cancel("build-17", errTooLate)
//	outcome, err := h.Wait(ctx)
//	err = s.Close(ctx)
//
// A job is reserved, running, finalizing, gone (phase.go). What is promised:
//
//   - An id is unique among the jobs that are not gone. Of many concurrent
//     starts one wins, and the others have written nothing.
//   - Cancellation closes before finalization begins. A Cancel that returned
//     nil means that the job ends as Cancelled, one that returned
//     ErrFinalizing that it changed nothing. A job cancelled while reserved
//     never runs.
//   - Place and id are held until finalization has ended and are then given
//     back in one place, however the job ended: an error, a panic or
//     runtime.Goexit in Run, Finalize or the store, a refused submit, an
//     executor that was stopped. The same id can then be started again.
//   - The registry in memory decides what can be cancelled, never the store.
//   - What is true and what is durable are told apart: an end that could not
//     be recorded is reported with the error of the record beside it.
//
// A Store keeps one record an id; package filestore has one that survives
// being killed at any moment. The reservation is recorded before the job is
// queued, its beginning before the body runs, its end after Finalize. So a
// Recovery can tell which bodies never ran (Pending), which may have run in
// part (Interrupted), and how the others ended. Nothing of it is started by
// itself.
//
// What it does not do: share ids between two supervisors, keep a job's end
// once nobody holds its handle (a Store does), or stop a body that ignores its
// context.
package jobs
