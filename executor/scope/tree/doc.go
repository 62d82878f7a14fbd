// Package tree is the state of one tree of scopes: which scopes there are, who
// waits for whom, why they stop and what they own. It is a sequential machine:
// it starts nothing, calls nobody and has no lock, which is the caller's.
//
//	tree := tree.New(run)
//	child, err := tree.Spawn(tree.Root(), false, true, nil)
//	...
//	err = tree.BodyDone(child.Key, tree.Outcome{})
//	ready, err := tree.BeginRelease(child.Key)   // nothing holds it open
//	out, err := tree.Settle(child.Key, nil)      // and it is gone
//
// What it promises:
//
//   - Every call is refused with one of the Err values, and has changed
//     nothing then, or it is done whole.
//   - [Tree.Stop], and everything from [Tree.BodyDone] to [Tree.Settle],
//     allocates nothing, so that neither can fail half way.
//   - After the root has settled nothing is remembered: [Tree.Len] is zero.
//
// A scope's life:
//
//	        BodyDone          BeginRelease            Settle
//	Open ────────────▶ Joining ────────────▶ Releasing ───────▶ gone
//
// Everything is named by an [ID] or a [Token], never by a pointer, so that a
// name that is too old or of another tree is an error and no accident.
package tree
