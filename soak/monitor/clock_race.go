//go:build race

package monitor

const sharpest = Time
