//go:build !race

package faulty_test

const underRace = false
