// Package schematest holds report.json against its published schema with a
// validator of others.
//
//	cd reports/schematest && go test ./...
//
// It is a module of its own, so that nobody else needs that validator.
package schematest
