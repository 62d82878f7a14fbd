//go:build !linux

package main

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
)

// bench is of Linux only.
type bench struct{ random *rand.Rand }

func newBench(context.Context, options, io.Writer) (*bench, error) {
	return nil, errors.New("NOT RUN: it finds processes in /proc, which only Linux has")
}

func (*bench) close() {}

func faults() []fault { return nil }
