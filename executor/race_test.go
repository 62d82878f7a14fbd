//go:build race

package executor_test

const underRace = true
