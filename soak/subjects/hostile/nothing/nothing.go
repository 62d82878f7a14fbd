// Package nothing exports neither Executors nor Backends.
package nothing
