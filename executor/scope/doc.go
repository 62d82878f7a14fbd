// Package scope runs trees of tasks on an executor so that nothing outlives
// the call that began it.
//
//	err := scope.Run(ctx, e, func(s *scope.Scope) error {
//		page, err := scope.Spawn(s, scope.Options{}, fetch)   // a task of its own
//		...
//		err = s.Nested(func(s *scope.Scope) error { ... })    // in this task
//		text, err := page.Join(s)
//		...
//	})                                                        // all of it has ended
//
// What it promises:
//
//   - A scope ends after its body, its children, its host calls and its
//     resources; Run returns after the root.
//   - The first reason to stop a scope wins. A failure climbs to the owner,
//     unless the child is Supervised, and a cancellation never; whatever is
//     below a stopped scope is cancelled. Contexts end with the reason as
//     their cause. A panic or runtime.Goexit in a body is its failure.
//   - A ticket is used up by whoever joins or discards it. Joins in a cycle
//     are ErrJoinCycle, and so is a body that ends while a child waits for it.
//   - A resource is closed by exactly one closer, newest first, after all that
//     could use it. Errors of closing fail a scope that nothing else did, and
//     replace nothing.
//   - Calls in a wrong phase, with a foreign or old token, or out of scope are
//     errors that say where, and have changed nothing.
//   - No worker is held while a scope waits, with one worker and in a full
//     executor too.
//
// What it does not do: end a body that ignores its context; hand a worker to
// others while a body blocks by other means than this package's, for which
// there is Worker().Block; see cycles of other waits than joins; or notice that
// a scope is used on a goroutine that it is not for (the race detector does).
// In an executor whose own queues are bounded and full a child may still run
// before its Spawn returns.
//
// The rules are those of package tree, whose state machine decides; this
// package gives it a lock, tasks and contexts.
package scope
