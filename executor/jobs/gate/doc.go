// Package gate lets only the newest revision of each key publish.
//
// Work that was begun for one revision of an input must not publish once the
// input has moved on: a diagnosis of a file that was edited meanwhile, a build
// of an older commit. A Gate admits work by key and revision:
//
//	g := gate.New[string, Diagnosis]()
//	t, err := g.Admit(ctx, file, revision)  // supersedes older work on file
//	err = t.Start()
//	d, err := analyse(t.Context(), file)    // ends when superseded
//	err = t.Publish(d)                      // refused when superseded
//	d, rev, ok := g.Latest(file)
//
// What it promises, per key:
//
//   - A revision is admitted only if it is newer than all before. The same one
//     again is ErrDuplicateRevision, an older one ErrStaleRevision.
//   - Admission of a newer revision ends the context of the older one with
//     ErrSuperseded, and its Publish fails with that.
//   - Publish wins at most once a revision, never after a newer admission, a
//     Fail or a Cancel. Losers learn which. A revision that has ended stays
//     ended: work is tried again under a newer one.
//   - Readers of Latest never see revisions go backwards, also when a winner
//     is delayed between winning and storing what it publishes.
//   - After its last ticket a key keeps its word (revision and state) and the
//     value published last, for readers. No ticket, no context, nothing of
//     those that lost. Forget drops these too.
//
// What it does not do: run the work, keep a history, or order different keys.
//
// The revision and the state of its work share one atomic word, so "still the
// newest, and not cancelled" is one compare-and-swap. Revisions only grow, so
// a word never recurs.
package gate
