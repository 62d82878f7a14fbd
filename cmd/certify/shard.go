package main

import (
	"os"
	"strconv"

	"github.com/exactlyonce/certify/reports/record"
)

// useShard reads --shard, else what a scheduler has put into the environment. All
// shards must come to the same plan, so a seed is wanted, too.
func (f *planFlags) useShard() (err error) {
	source := f.given("shard")
	if f.shardText != "" {
		if f.shard, err = record.ParseShard(f.shardText); err != nil {
			return usage("%s: %w", source, err)
		}
	} else if f.shard, source, err = schedulerShard(); err != nil {
		return err
	} else if source != "" {
		f.sources["shard"] = source
	}
	if f.shard.Part() && f.seed == 0 {
		return usage("%s %s: want --seed, too: the shards of a run have one plan, and so one seed", source, f.shard)
	}
	return nil
}

// A scheduler numbers its tasks in the environment. The first that is there
// counts; one without its size is not about shards.
var schedulers = []struct {
	index, first, size string // first is the number of the first task
	base               int    // where first is not there
}{
	{index: "TEST_SHARD_INDEX", size: "TEST_TOTAL_SHARDS"},                                                 // Bazel
	{index: "JOB_COMPLETION_INDEX", size: "CERTIFY_SHARDS"},                                                // Kubernetes, an Indexed Job
	{index: "SLURM_ARRAY_TASK_ID", first: "SLURM_ARRAY_TASK_MIN", size: "SLURM_ARRAY_TASK_COUNT", base: 1}, // Slurm, an array
}

// shardStatusFile is touched, where it is named, to tell Bazel that its shards are
// taken notice of.
const shardStatusFile = "TEST_SHARD_STATUS_FILE"

func schedulerShard() (shard record.Shard, source string, err error) {
	for _, s := range schedulers {
		index, size := os.Getenv(s.index), os.Getenv(s.size)
		if index == "" || size == "" {
			continue
		}
		first := s.base
		if text := os.Getenv(s.first); s.first != "" && text != "" {
			if first, err = strconv.Atoi(text); err != nil {
				return shard, "", usage("%s %q: want a number", s.first, text)
			}
		}
		i, errIndex := strconv.Atoi(index)
		n, errSize := strconv.Atoi(size)
		shard = record.Shard{Index: i - first + 1, Of: n}
		if errIndex != nil || errSize != nil || !shard.Part() {
			return shard, "", usage("%s %q and %s %q: want a number from %d, and how many there are, at most %d", s.index, index, s.size, size, first, record.MaxShards)
		}
		return shard, s.index, touch(os.Getenv(shardStatusFile))
	}
	return record.Shard{}, "", nil
}

func touch(name string) error {
	if name == "" {
		return nil
	}
	if err := os.WriteFile(name, nil, 0o644); err != nil {
		return usage("%s: %w", shardStatusFile, err)
	}
	return nil
}
