package tree

import (
	"flag"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"sync"
	"testing"
)

var seedFlag = flag.Uint64("seed", 0, "repeat the random histories from this seed; 0 means one of its own")

// histories is how many random histories a test compares: CERTIFY_HISTORIES,
// or few enough for every day.
func histories(t *testing.T) int {
	n, err := 20000, error(nil)
	if testing.Short() {
		n = 4000
	}
	if set := os.Getenv("CERTIFY_HISTORIES"); set != "" {
		if n, err = strconv.Atoi(set); err != nil || n < 1 {
			t.Fatalf("CERTIFY_HISTORIES=%q is no number of histories", set)
		}
	}
	return n
}

// TestHistoriesS1S2S3S4S5S6S7S8S9S10 compares the tree with the model over
// random histories: every answer, and the whole state after every call. The
// environment variable CERTIFY_HISTORIES says how many.
func TestHistoriesS1S2S3S4S5S6S7S8S9S10(t *testing.T) {
	n, seed := histories(t), *seedFlag
	if seed == 0 {
		seed = rand.Uint64() | 1
	}
	var mu sync.Mutex
	var all tally // guarded by mu
	var wg sync.WaitGroup
	shards := runtime.GOMAXPROCS(0)
	for shard := range shards {
		wg.Go(func() {
			var own tally
			for i := shard; i < n && !t.Failed(); i += shards {
				draw := seeded(seed + uint64(i))
				if err := newHistory(draw, nil, &own).play(10 + draw(70)); err != nil {
					t.Errorf("%v\nrepeat: go test -run '^%s$' ./executor/scope/tree -seed %d", err, t.Name(), seed+uint64(i))
				}
			}
			mu.Lock()
			defer mu.Unlock()
			for op := range own {
				for result, n := range own[op] {
					all[op][result] += n
				}
			}
		})
	}
	wg.Wait()
	if missing := all.gaps(); missing != nil && !t.Failed() {
		t.Errorf("%d histories from seed %d never had: %q", n, seed, missing)
	}
	t.Logf("%d histories agree; %d spawns, %d settlements, %d cycles", n,
		all[opNamed("Spawn")][0], all[opNamed("Settle")][0], all[opNamed("ClaimJoin")][6])
}

// FuzzHistory is the same with histories that bytes spell.
func FuzzHistory(f *testing.F) {
	for seed := range uint64(8) {
		data := make([]byte, 400)
		draw := seeded(seed)
		for i := range data {
			data[i] = byte(draw(256))
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := newHistory(fromBytes(data), nil, new(tally)).play(min(len(data)/4, 100)); err != nil {
			t.Error(err)
		}
	})
}
