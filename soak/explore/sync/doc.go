// Package sync stands in for sync in programs that are explored. It has the
// same API, and outside of an exploration does the same.
//
// A thread that has to wait is disabled until it need not, so that a deadlock
// is seen at once and exactly. Misuse that the real package answers with a
// fatal error (unlocking what is not locked) ends the execution as a failure.
//
// Differences: a Pool keeps everything and returns the newest, and a Map calls
// Range's function in the order of the first stores, since what the real ones
// do is not determined by the order of the steps.
package sync
