// Package hardening is where it is kept that what went wrong in public, in schedulers,
// queues, certifiers and their reports, does not go wrong here and is caught elsewhere.
//
// Its tests have a table of reports of others. Each row names the test that shows how
// ours behaves where that one failed, and the faulty subject of the same class that must
// be killed, with the law that kills it: a canary of every run, a back end of the laws'
// own tests, a subject that no run may pass, or a public module as it is published. The
// tests hold that all of these exist and have that law, and write the table to
// REPORTS.md:
//
//	go test ./hardening -update
//
// A row without a test or without a faulty subject says why.
package hardening
