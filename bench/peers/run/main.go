// Command run measures our executor beside its peers in one sitting, and writes the
// table and the benchmark file. scripts/peers.sh is its usual caller.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"time"

	"github.com/exactlyonce/certify/bench"
	"github.com/exactlyonce/certify/bench/peers"
	"github.com/exactlyonce/certify/bench/peers/table"
	"github.com/exactlyonce/certify/bench/sitting"
)

type settings struct {
	out, raw, pattern, native, from string
	quick, list, anyNoise           bool
	rounds                          int
	window                          time.Duration
	seed                            uint64
}

func main() {
	var s settings
	flag.StringVar(&s.out, "out", "peers.md", "file of the table")
	flag.StringVar(&s.raw, "raw", "", "file of all samples, in the Go benchmark format; as the table, with .txt")
	flag.StringVar(&s.pattern, "select", "", "only cases whose name matches this regular expression")
	flag.StringVar(&s.native, "native", "", "folder of the native programs")
	flag.StringVar(&s.from, "from", "", "make the table of this benchmark file, and measure nothing")
	flag.BoolVar(&s.quick, "quick", false, "small sizes and 3 rounds of 5 ms: a look, no measurement")
	flag.BoolVar(&s.list, "list", false, "print the names of the cases, and measure nothing")
	flag.BoolVar(&s.anyNoise, "any-noise", false, "count windows that the machine disturbed, too")
	flag.IntVar(&s.rounds, "rounds", 10, "samples of each arm")
	flag.DurationVar(&s.window, "window", 50*time.Millisecond, "how long a sample takes at least")
	flag.Uint64Var(&s.seed, "seed", uint64(time.Now().UnixNano()), "of the order")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := s.run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

func (s settings) run(ctx context.Context) error {
	if flag.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flag.Arg(0))
	}
	if s.from != "" {
		raw, err := os.ReadFile(s.from)
		if err != nil {
			return err
		}
		return s.table(raw)
	}
	sizes := peers.Normal
	if s.quick {
		sizes, s.rounds, s.window = peers.Quick, 3, 5*time.Millisecond
	}
	workers := runtime.GOMAXPROCS(0)
	natives, lacking, err := peers.Natives(s.native, workers, sizes)
	if err != nil {
		return err
	}
	cases, err := bench.Select(append(peers.Cases(workers, sizes), natives...), s.pattern)
	if err != nil {
		return err
	}
	if s.list {
		for _, c := range cases {
			fmt.Println(c.Name)
		}
		return nil
	}
	plan := sitting.Plan{Samples: s.rounds, Window: s.window, Seed: s.seed, AnyNoise: s.anyNoise, Stall: 5 * time.Minute}
	m := newMeasurement(ctx, plan)
	failed := m.all(ctx, cases)
	var raw bytes.Buffer
	if err := m.write(ctx, &raw, sizes, lacking); err != nil {
		return err
	}
	if s.raw == "" {
		s.raw = strings.TrimSuffix(s.out, ".md") + ".txt"
	}
	if err := os.WriteFile(s.raw, raw.Bytes(), 0o644); err != nil {
		return err
	}
	if failed != nil && m.windows == 0 {
		return failed
	}
	if err := s.table(raw.Bytes()); err != nil {
		return err
	}
	return failed
}

func (s settings) table(raw []byte) error {
	var b bytes.Buffer
	if err := table.Write(&b, bytes.NewReader(raw)); err != nil {
		return err
	}
	return os.WriteFile(s.out, b.Bytes(), 0o644)
}
