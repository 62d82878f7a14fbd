package monitor

import (
	"strconv"
	"strings"
	"testing"
)

// parse reads a history, a call a word: the worker, what it did, and when it
// began and had ended. What it did is + or, for a removal, - of the owner or a
// queue, < of a thief; then values, or E, F, L, ? for EMPTY, FULL, LOST, pending.
//
//	a+1@0-2   b-1,2@3-4   c<E@5-6   a+3?@7
func parse(t *testing.T, text string) (h []Op) {
	t.Helper()
	for _, word := range strings.Fields(text) {
		what, when, _ := strings.Cut(word, "@")
		op := Op{Worker: uint16(what[0] - 'a'), Kind: map[byte]Kind{'+': Push, '-': Pop, '<': Steal}[what[1]]}
		begin, end, returned := strings.Cut(when, "-")
		op.Begin, op.End = number(t, begin), Never
		if returned {
			op.End = number(t, end)
		}
		values := what[2:]
		last := values[len(values)-1]
		if answer, ok := map[byte]Answer{'E': Empty, 'F': Full, 'L': Lost, '?': Pending}[last]; ok {
			op.Answer, values = answer, values[:len(values)-1]
		}
		if values == "" {
			h = append(h, op)
			continue
		}
		for i, v := range strings.Split(values, ",") {
			op.Value = uint32(number(t, v))
			if i > 0 && op.Answer == Done {
				op.Answer = Also
			}
			h = append(h, op)
		}
	}
	return h
}

func number(t *testing.T, s string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// cases are histories that one rule alone finds illegal, each with one that is
// legal by a hair.
var cases = []struct {
	criterion Criterion
	rule      string
	o         Options
	illegal   string
	legal     string
}{
	{FIFO, "history", Options{}, "a+1@0-1 a+1@2-3", "a+1@0-1 a+2@2-3"},
	{Bag, "history", Options{}, "a-L@0-1", "a-E@0-1"},
	{FIFO, "fresh", Options{}, "a-1@0-1", "a+1@0-1 b-1@0-1"},
	{FIFO, "fresh", Options{}, "a-1@0-1 b+1@2-3", "a-1@0-2 b+1@2-3"},
	{FIFO, "repeat", Options{}, "a+1@0-1 b-1@2-3 c-1@2-3", "a+1@0-1 b-1@2-3 c-E@2-3"},
	{FIFO, "lost", Options{Drained: true}, "a+1@0-1", "a+1@0-1 b-?@0"},
	{FIFO, "order", Options{}, "a+1@0-1 b+2@2-3 c-2@4-5 c-1@6-7", "a+1@0-2 b+2@2-3 c-2@4-5 c-1@6-7"},
	{FIFO, "order", Options{}, "a+1@0-1 b+2@2-3 c-2@4-5", "a+1@0-1 b+2@2-3 c-1@4-5"},
	{FIFO, "producer-order", Options{}, "a+1,2@0-9 b-2@2-3 b-1@4-5", "a+1,2@0-9 b-2@2-4 c-1@4-5"},
	{FIFO, "batch-order", Options{}, "a+1@0-1 b+2@2-3 c-2,1@4-5", "a+1@0-2 b+2@2-3 c-2,1@4-5"},
	{FIFO, "batch-order", Options{}, "a+1,2@0-1 c-2,1@4-5", "a+1,2@0-1 c-1,2@4-5"},
	{FIFO, "whole", Options{AtomicBatch: true}, "a+1@0-1 b+2@2-3 a+3@4-5 c-1,3@6-9 d-2@6-9", "a+1@0-1 b+2@2-4 a+3@4-5 c-1,3@6-9 d-2@6-9"},
	{FIFO, "whole", Options{AtomicBatch: true}, "a+1,2,3@0-1 c-1,3@6-9 d-2@6-9", "a+1,2,3@0-1 c-1,2@6-9 d-3@6-9"},
	{FIFO, "empty", Options{}, "a+1@0-1 b-E@2-3", "a+1@0-2 b-E@2-3"},
	{FIFO, "empty", Options{}, "a+1@0-1 b+2@4-5 c-1@6-7 d-E@2-9 d-2@10-11", "a+1@0-1 b+2@4-6 c-1@6-7 d-E@2-9 d-2@10-11"},
	{FIFO, "overflow", Options{Capacity: 1}, "a+1@0-1 a+2@2-3 b-1@4-5", "a+1@0-1 a+2@2-4 b-1@4-5"},
	{FIFO, "full", Options{Capacity: 1}, "a+1@0-1 b-1@2-3 a+2F@4-5", "a+1@0-1 b-1@2-4 a+2F@4-5"},
	{FIFO, "full", Options{}, "a+1F@0-1", "a+1?@0"},
	{ProducerFIFO, "producer-order", Options{}, "a+1@0-1 a+2@2-3 c-2@4-5 c-1@6-7", "a+1@0-1 b+2@2-3 c-2@4-5 c-1@6-7"},
	{ProducerFIFO, "batch-order", Options{}, "a+1@0-1 a+2@2-3 c-2,1@4-5", "a+1@0-1 b+2@2-3 c-2,1@4-5"},
	{ProducerFIFO, "empty", Options{}, "a+1@0-1 b-E@2-3", "a+1@0-1 b-E@1-3"},
	{Bag, "empty", Options{}, "a+1@0-1 b-E@2-3", "a+1@0-1 b-E@2-3 c-1@3-4"},
	{KFIFO(1), "overtake", Options{}, "a+1@0-1 a+2@2-3 a+3@4-5 b-3@6-7", "a+1@0-1 a+2@2-3 a+3@4-5 b-2@6-7 b-1@8-9 b-3@10-11"},
	{Deque, "owner", Options{}, "a+1@0-1 b+2@2-3", "a+1@0-1 b<1@2-3"},
	{Deque, "owner", Options{}, "a+1@0-2 a+2@1-3", "a+1@0-2 a+2@2-3"},
	{Deque, "owner", Options{}, "a-1@0-2 a+1@2-3", "a-E@0-2 a+1@2-3"},
	{Deque, "fresh", Options{}, "a+1@2-3 b<1@0-1", "a+1@2-3 b<1@0-2"},
	{Deque, "repeat", Options{}, "a+1@0-1 a-1@2-3 b<1@2-3", "a+1@0-1 a-1@2-3 b<E@3-4"},
	{Deque, "lost", Options{Drained: true}, "a+1@0-1", "a+1@0-1 b<1@0-1"},
	{Deque, "lifo", Options{}, "a+1@0-1 a+2@2-3 a-1@4-5", "a+1@0-1 a+2@2-3 a-2@4-5"},
	{Deque, "lifo", Options{}, "a+1@0-1 a+2@2-3 a-1@4-5 b<2@0-9", "a+1@0-1 a+2@2-3 a-2@4-5 b<1@0-9"},
	{Deque, "owner-empty", Options{}, "a+1@0-1 a-E@2-3 b<1@4-5", "a+1@0-1 a-E@2-4 b<1@4-5"},
	{Deque, "order", Options{}, "a+1@0-1 a+2@2-3 b<2@4-5 b<1@6-7", "a+1@0-1 a+2@2-3 b<2@4-6 c<1@6-7"},
	{Deque, "order", Options{}, "a+1@0-1 a+2@2-3 b<2@4-5", "a+1@0-1 a+2@2-3 b<1@4-5"},
	{Deque, "batch-order", Options{}, "a+1@0-1 a+2@2-3 b<2,1@4-5", "a+1@0-1 a+2@2-3 b<1,2@4-5"},
	{Deque, "whole", Options{AtomicBatch: true}, "a+1,2,3@0-1 b<1,3@2-9 c<2@2-9", "a+1,2,3@0-1 b<1,2@2-9 c<3@2-9"},
	{Deque, "whole", Options{AtomicBatch: true}, "a+1@0-1 a-E@2-3 a+2@4-5 b<1,2@0-9", "a+1@0-1 a-E@2-3 a+2@4-5 b<1@0-9 c<2@0-9"},
	{Deque, "empty", Options{}, "a+1@0-1 b<E@2-3", "a+1@0-1 b<E@2-3 c<1@3-4"},
	{Deque, "full", Options{}, "a+1F@0-1", "a+1@0-1"},
	{Deque, "abort", Options{Aborts: RivalAbort}, "a+1@0-1 b<L@2-3", "a+1@0-2 b<L@2-3"},
	{Deque, "abort", Options{Aborts: RemovalAbort}, "a+1@0-2 b<L@2-3", "a+1@0-2 b<L@2-3 c<1@3-4"},
	{Deque, "abort", Options{Aborts: RemovalAbort}, "a+1@0-1 b<1@2-3 b<L@3-4", "a+1@0-1 b<1@2-3 c<L@3-4"},
}

// Each rule finds something that no other does, and not its neighbour.
func TestEachRuleAlone(t *testing.T) {
	proved := map[string]bool{}
	for _, c := range cases {
		name := c.criterion.Name + "/" + c.rule
		v := c.criterion.Check(parse(t, c.illegal), c.o)
		if v == nil || v.Rule != c.rule {
			t.Errorf("%s: %s: found %v", name, c.illegal, v)
			continue
		}
		if v.Law == "" || v.Detail == "" || len(v.Ops) == 0 {
			t.Errorf("%s: %s: the violation does not tell all: %+v", name, c.illegal, v)
		}
		off := c.o
		off.off = c.rule
		if v := c.criterion.Check(parse(t, c.illegal), off); v != nil {
			t.Errorf("%s: %s: without the rule, still found\n%s", name, c.illegal, v)
		}
		if v := c.criterion.Check(parse(t, c.legal), c.o); v != nil {
			t.Errorf("%s: %s: legal, but found\n%s", name, c.legal, v)
		}
		proved[name] = true
	}
	for _, c := range []Criterion{FIFO, ProducerFIFO, Deque} {
		for _, r := range c.Rules(Options{}) {
			shared := c.Name != FIFO.Name && proved[FIFO.Name+"/"+r.Name] // the same code
			if !proved[c.Name+"/"+r.Name] && !shared {
				t.Errorf("%s: no history shows the rule %s", c.Name, r.Name)
			}
		}
	}
}

// A rule that does not apply is named with the reason, and finds nothing.
func TestOmittedRules(t *testing.T) {
	weak := Options{WeakEmpty: true, WeakFull: true}
	for _, c := range []Criterion{FIFO, Deque} {
		omitted := map[string]bool{}
		for _, r := range c.Rules(weak) {
			omitted[r.Name] = r.Omitted != ""
		}
		for _, name := range []string{"lost", "whole", "empty", "full"} {
			if !omitted[name] {
				t.Errorf("%s: the rule %s is not left out", c.Name, name)
			}
		}
		if omitted["fresh"] || omitted["order"] {
			t.Errorf("%s: too much is left out: %v", c.Name, omitted)
		}
	}
	for _, h := range []string{"a+1@0-1 b-E@2-3", "a+1F@0-1"} {
		if v := FIFO.Check(parse(t, h), weak); v != nil {
			t.Errorf("%s: found\n%s", h, v)
		}
	}
}

// What may have been taken by a call that never returned was not overtaken.
func TestPendingCalls(t *testing.T) {
	for h, rule := range map[string]string{
		"a+1@0-1 a+2@2-3 b-2@4-5 c-?@0":             "",
		"a+1@0-1 a+2@2-3 b-2@4-5 c-?@6":             "producer-order", // too late
		"a+1?@0 b-1@2-3":                            "",               // it was pushed, though nobody was told
		"a+1?@4 b-1@2-3":                            "fresh",
		"a+1?@0 b-E@2-3 b-E@4-5":                    "",
		"a+1@0-1 b-E@2-3 c-?@0":                     "",
		"a+1@0-1 b-E@2-3 c-?@4 c+2@5-6":             "empty",
		"a+7@0-1 b+4000000000@2-3 c-E@4-5":          "empty", // values far apart
		"a+7@0-1 b+4000000000@2-3 b-7@4-5":          "",
		"a+7@0-1 a+4000000000@2-3 b-4000000000@4-5": "producer-order",
	} {
		got := ""
		if v := FIFO.Check(parse(t, h), Options{}); v != nil {
			got = v.Rule
		}
		if got != rule && !(got == "order" && rule == "producer-order") {
			t.Errorf("%s: found %q, want %q", h, got, rule)
		}
	}
}

func TestOvertakes(t *testing.T) {
	// 3 overtakes 1 and 2, which stays; 4 overtakes 2.
	r := Overtakes(parse(t, "a+1@0-1 a+2@2-3 a+3@4-5 a+4@6-7 b-3@8-9 b-1@10-11 b-4@12-13"))
	if r.Values != 3 || r.Overtaking != 2 || r.Max != 2 || r.MaxValue != 3 || r.Total != 3 || r.Spread[0] != 1 || r.Spread[1] != 1 || r.Spread[2] != 1 {
		t.Errorf("got %+v", r)
	}
	if r := Overtakes(parse(t, "a+1@0-1 a+2@2-3 b-1@4-5 b-2@6-7")); r.Max != 0 || r.Spread[0] != 2 {
		t.Errorf("in order: got %+v", r)
	}
}

func TestContend(t *testing.T) {
	c := Contend(parse(t, "a+1,2@0-1 a-2@4-5 a-E@6-9 b<1@2-7 c<L@0-1 c<L@2-3"))
	if c != (Contention{LastPopped: 1, LastStolen: 1, Aborts: 2, Unexplained: 1}) {
		t.Errorf("got %+v", c)
	}
}

func TestTable(t *testing.T) {
	v := FIFO.Check(parse(t, "a+1@100-101 b+2@102-103 c-2@104-105 c-E@106-107"), Options{})
	want := `order: value 2 overtakes value 1 (what was pushed before another value began to be is not taken after it)
  begin  end  worker 0  worker 1  worker 2
  0      1    push 1
  2      3              push 2
  4      5                        pop → 2`
	if v.String() != want {
		t.Errorf("got\n%s\nwant\n%s", v, want)
	}
}
