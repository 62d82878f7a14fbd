//go:build race

package soak

const perWord = 1 // tasks
