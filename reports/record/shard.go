package record

import (
	"fmt"
	"strconv"
	"strings"
)

// Shard is a part of a run that is spread over machines: the Index-th of Of,
// from 1. The zero Shard is a run that is whole from the start. An Index of 0
// with an Of is a run that was merged from its shards.
type Shard struct {
	Index int `json:"index"`
	Of    int `json:"of"`
}

// MaxShards is more than any cluster takes, and far from an overflow.
const MaxShards = 10_000

// ParseShard reads "2/4".
func ParseShard(s string) (Shard, error) {
	index, of, found := strings.Cut(s, "/")
	i, err1 := strconv.Atoi(index)
	n, err2 := strconv.Atoi(of)
	if !found || err1 != nil || err2 != nil {
		return Shard{}, fmt.Errorf("record: shard %.40q: want a part of a number, such as 2/4", s)
	}
	shard := Shard{i, n}
	if !shard.Part() {
		return Shard{}, fmt.Errorf("record: shard %.40q: want 1/%d to %d/%[2]d, of at most %d", s, n, n, MaxShards)
	}
	return shard, nil
}

// Part reports whether s is one of the parts.
func (s Shard) Part() bool { return 1 <= s.Index && s.Index <= s.Of && s.Of <= MaxShards }

// Merged reports whether s is all parts together.
func (s Shard) Merged() bool { return s.Index == 0 && 1 <= s.Of && s.Of <= MaxShards }

// String is as ParseShard reads it, for a part.
func (s Shard) String() string {
	switch {
	case s == Shard{}:
		return "whole"
	case s.Merged():
		return fmt.Sprintf("merged from %d", s.Of)
	}
	return fmt.Sprintf("%d/%d", s.Index, s.Of)
}

// Validate returns an error unless s is whole, a part or merged.
func (s Shard) Validate() error {
	if s != (Shard{}) && !s.Part() && !s.Merged() {
		return fmt.Errorf("record: shard %d of %d: there is none", s.Index, s.Of)
	}
	return nil
}
