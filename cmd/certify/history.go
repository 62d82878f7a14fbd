package main

import (
	"os"

	"github.com/exactlyonce/certify/reports"
	"github.com/exactlyonce/certify/reports/history"
)

// overCommits adds the run, with the files of benchmarks, to the history in a file,
// and returns what the history shows.
func overCommits(file string, r *reports.Run, benchmarks []string) ([]reports.Section, error) {
	if r.Shard.Part() {
		return nil, usage("--history: the run is shard %s: merge the shards first", r.Shard)
	}
	entries, err := history.Read(file)
	if err != nil {
		return nil, usage("--history: %w", err)
	}
	e, err := history.Of(r)
	if err != nil {
		return nil, err
	}
	for _, name := range benchmarks {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, usage("--bench: %w", err)
		}
		if err := e.AddBench(name, data); err != nil {
			return nil, usage("--bench: %w", err)
		}
	}
	if len(e.Series) > 0 { // else it would say nothing, for ever
		entries = history.Add(entries, e)
		if err := history.Write(file, entries); err != nil {
			return nil, outError("--history", err)
		}
	}
	return history.Sections(entries, e.Class)
}
