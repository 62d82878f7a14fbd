// Package certificate issues the certificate of a run, and verifies one from
// the evidence alone.
//
//	cert, err := certificate.Issue(run)          // that reports.Load has read
//	err = cert.Sign(privateKey)                  // if there is a key
//	data, err := cert.Encode()                   // certificate.json
//	v, err := certificate.Verify(data, dir, certificate.Options{Keys: keys})
//
// A certificate holds two in-toto Statements (v1), each in a DSSE envelope: one
// with the test-result predicate that other tools read, and one of our own with
// the numbers. Their subjects are the commit, the runner and the results by
// their digests, so a certificate is of this evidence and no other.
//
// Both statements follow from the run directory, byte for byte. To verify is to
// make them again and to compare: whatever was altered, in the certificate or in
// the evidence, is found, and named. Signatures say who issued it, and only
// that: Verify wants one of each given key, so that taking one away is found
// too. A certificate says nothing that the evidence does not: a run that failed
// has one that says FAILED.
//
// Not here: provenance of the build, keys and their management, transparency
// logs. A signed statement can be given to tools that do those.
//
// Sources: in-toto Attestation Framework v1 (Statement, test-result v0.1), DSSE
// v1 (envelope, pre-authentication encoding), RFC 8032 (Ed25519).
package certificate
