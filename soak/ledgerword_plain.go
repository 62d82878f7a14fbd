//go:build !race

package soak

const perWord = 32 // tasks
