package monitor

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/exactlyonce/certify/internal/stress"
)

// histories is how many each family tries: CERTIFY_HISTORIES, or 20,000.
func histories(t *testing.T) int {
	if s := os.Getenv("CERTIFY_HISTORIES"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatalf("CERTIFY_HISTORIES: %v", err)
		}
		return n
	}
	return stress.Rounds(20_000)
}

// families are the kinds of histories, each with its own number of tries.
var families = map[string]func(dice func(int) int) scene{
	"fifo":     func(d func(int) int) scene { return scene{kind: fifoKind, o: options(d, false)} },
	"producer": func(d func(int) int) scene { return scene{kind: producerKind, o: options(d, false)} },
	"bag":      func(d func(int) int) scene { return scene{kind: bagKind, o: options(d, false)} },
	"deque":    func(d func(int) int) scene { return scene{kind: dequeKind, o: options(d, false), batches: d(2) == 0} },
	"bounded": func(d func(int) int) scene {
		return scene{kind: kind(d(3)), o: options(d, true), batches: d(2) == 0}
	},
	"batches": func(d func(int) int) scene { return scene{kind: kind(d(3)), o: options(d, false), batches: true} },
	"pending": func(d func(int) int) scene {
		return scene{kind: kind(d(4)), o: options(d, false), batches: d(2) == 0, pending: true}
	},
}

func options(dice func(int) int, bound bool) Options {
	o := Options{
		WeakEmpty: dice(8) == 0, WeakFull: dice(8) == 0, AtomicBatch: dice(2) == 0,
		Drained: dice(8) == 0, Aborts: Aborts(max(0, dice(6)-3)),
	}
	if bound {
		o.Capacity = 1 + dice(3)
	}
	return o
}

// tally counts what a family has seen.
type tally struct {
	legal, illegal, missed, foreign, endless int
	only                                     map[string]int // violations that one rule alone finds
}

// TestAgainstReference compares the monitors with a search through all orders, on
// many small histories of each family. CERTIFY_HISTORIES is how many.
func TestAgainstReference(t *testing.T) {
	for name, family := range families {
		t.Run(name, func(t *testing.T) {
			stress.WatchdogAfter(t, 2*time.Minute+time.Duration(histories(t))*time.Millisecond)
			rng := stress.Random(t)
			c := tally{only: map[string]int{}}
			for n := histories(t); n > 0 && !t.Failed(); n-- {
				s := family(rng.IntN)
				g := &generator{dice: rng.IntN, scene: s}
				c.compare(t, s, g.generate())
			}
			t.Logf("%d legal, %d illegal, %d of them missed, %d not judged; by one rule alone: %s", c.legal, c.illegal, c.missed, c.foreign, counts(c.only))
			if c.legal < histories(t)/10 || c.illegal < histories(t)/20 || c.endless > histories(t)/1000 {
				t.Errorf("vacuous: %d legal, %d illegal, %d too much for the reference", c.legal, c.illegal, c.endless)
			}
			c.checkRules(t, name)
		})
	}
}

func counts(m map[string]int) string {
	var all []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		all = append(all, fmt.Sprintf("%s %d", k, m[k]))
	}
	return strings.Join(all, ", ")
}

// compare judges one history in both ways.
func (c *tally) compare(t *testing.T, s scene, h []Op) {
	t.Helper()
	v := s.kind.criterion().Check(h, s.o)
	if v != nil && (v.Rule == "history" || v.Rule == "owner") {
		c.foreign++ // the reference assumes that these hold
		return
	}
	ok, decided := legal(s.kind, h, s.o)
	if !decided {
		c.endless++
		return
	}
	switch {
	case ok && v != nil:
		t.Errorf("%+v: legal, but the monitor found\n%s\nin\n%s", s, v, table(h))
	case !ok && v == nil && s.exact():
		t.Errorf("%+v: illegal, but the monitor found nothing in\n%s", s, table(h))
	case !ok && v == nil:
		c.missed++
	}
	if ok {
		c.legal++
		return
	}
	c.illegal++
	if v != nil {
		c.confirm(t, s, h, v)
	}
}

// confirm checks that what the violation shows is illegal by itself.
func (c *tally) confirm(t *testing.T, s scene, h []Op, v *Violation) {
	t.Helper()
	o := s.o
	o.off = v.Rule
	if s.kind.criterion().Check(h, o) == nil {
		c.only[v.Rule]++
	}
	o.off, o.Drained = "", s.o.Drained && v.Rule == "lost"
	if ok, decided := legal(s.kind, v.Ops, o); ok && decided && !s.pending {
		t.Errorf("%+v: the calls that show it are legal by themselves:\n%s\nin\n%s", s, v, table(h))
	}
}

// checkRules fails for a rule of a family that never was the only one to find
// something: it is not needed, or not tried.
func (c *tally) checkRules(t *testing.T, family string) {
	want := map[string]string{
		"fifo":     "fresh repeat lost order empty full",
		"producer": "fresh repeat lost producer-order empty full",
		"bag":      "fresh repeat lost empty full",
		"deque":    "fresh repeat lost lifo owner-empty order batch-order whole empty full abort",
		"bounded":  "overflow full empty",
		"batches":  "order producer-order batch-order whole empty",
		"pending":  "order lifo empty",
	}[family]
	for _, rule := range strings.Fields(want) {
		if c.only[rule] == 0 && histories(t) >= 10_000 {
			t.Errorf("no history was illegal by the rule %s alone", rule)
		}
	}
}

func table(h []Op) string {
	v := (&index{h: h}).violation(all(h), "the whole history")
	return v.String()
}

func all(h []Op) (rows []int32) {
	for i := range h {
		rows = append(rows, int32(i))
	}
	return rows
}

// FuzzMonitor makes histories of any bytes, and compares as TestAgainstReference
// does.
func FuzzMonitor(f *testing.F) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 20 {
		seed := make([]byte, 64)
		for i := range seed {
			seed[i] = byte(rng.Uint32())
		}
		f.Add(seed)
	}
	names := slices.Sorted(maps.Keys(families))
	f.Fuzz(func(t *testing.T, choices []byte) {
		dice := func(n int) int {
			if len(choices) == 0 {
				return 0
			}
			b := choices[0]
			choices = choices[1:]
			return int(b) % n
		}
		s := families[names[dice(len(names))]](dice)
		g := &generator{dice: dice, scene: s}
		c := tally{only: map[string]int{}}
		c.compare(t, s, g.generate())
	})
}
