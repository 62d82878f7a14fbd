package scenario_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/exactlyonce/certify/queues"
	"github.com/exactlyonce/certify/soak/explore/scenario"
)

func TestParse(t *testing.T) {
	for _, text := range []string{"P|1", "PPpp|1|2", "PBp|sb|b", "PP", "E", "ED|E|D", "BT|T", "Pp|16"} {
		s, err := scenario.Parse(text)
		if err != nil || s.String() != text {
			t.Errorf("%s: %v, %v", text, s, err)
		}
	}
	for _, text := range []string{"", "P|", "P|0", "P|99", "Px|1", "E|1", "ED|P", "1|P", "P|-1"} {
		if s, err := scenario.Parse(text); err == nil || !strings.Contains(err.Error(), "scenario: ") {
			t.Errorf("%q: %v, %v", text, s, err)
		}
	}
}

// TestEnumeration: the numbers, no scenario twice, and each reads back.
func TestEnumeration(t *testing.T) {
	for _, test := range []struct {
		all  []scenario.Scenario
		want int
	}{
		{scenario.Deques(6, 6), 32 * 3},
		{scenario.Deques(5, 5), 16 * 4},
		{scenario.Deques(2, 3), (2 + 4) * 5},
		{scenario.Injectors(1), 10},
		{scenario.Injectors(2), 157},
	} {
		seen := map[string]bool{}
		for _, s := range test.all {
			back, err := scenario.Parse(s.String())
			if err != nil || back.Kind != s.Kind || !slices.Equal(back.Words, s.Words) || seen[s.String()] {
				t.Errorf("%v: %v, %v, seen before: %v", s, back, err, seen[s.String()])
			}
			seen[s.String()] = true
		}
		if len(seen) != test.want {
			t.Errorf("%d scenarios, want %d", len(seen), test.want)
		}
	}
}

// broken is a back end that is plain memory, and lets its newest item go when
// it is asked for two.
type broken struct{ items []*scenario.Item }

func (b *broken) Push(v *scenario.Item) bool {
	b.items = append(b.items, v)
	return true
}

func (b *broken) PushAll(vs []*scenario.Item) int {
	b.items = append(b.items, vs...)
	return len(vs)
}

func (b *broken) Pop() (v *scenario.Item, ok bool) {
	if len(b.items) == 0 {
		return nil, false
	}
	v, b.items = b.items[0], b.items[1:]
	return v, true
}

func (b *broken) PopInto(dst []*scenario.Item) (n int) {
	for n < len(dst) && len(b.items) > 0 {
		dst[n], _ = b.Pop()
		n++
	}
	return max(n-1, 0)
}

func (b *broken) Len() int { return len(b.items) }

// TestSmallest: a failure is told by the smallest scenario, with its table.
func TestSmallest(t *testing.T) {
	b := queues.Backend[*scenario.Item]{Name: "broken", Promises: queues.Promises{Order: queues.FIFO},
		Injector: func(queues.Options) queues.Injector[*scenario.Item] { return new(broken) }}
	s, err := scenario.Parse("EEDT|E|D")
	if err != nil {
		t.Fatal(err)
	}
	r := scenario.Run(s, b, scenario.Config{})
	if r.Verdict != "wrong" || r.Smallest != "ET" && r.Smallest != "T|E" && r.Smallest != "BT" || !strings.Contains(r.Trace, "lost") {
		t.Errorf("%+v", r)
	}
	small, err := scenario.Parse(r.Smallest)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := scenario.Replay(small, r.Schedule, b, scenario.Config{}); err != nil || again.Failure != r.Failure || again.Trace != r.Trace {
		t.Errorf("%+v, %v\nwant %+v", again, err, r)
	}
	if r := scenario.Run(mustParse(t, "P|1"), b, scenario.Config{}); r.Invalid == "" {
		t.Errorf("a deque's scenario on an injector: %+v", r)
	}
}

func mustParse(t *testing.T, text string) scenario.Scenario {
	t.Helper()
	s, err := scenario.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
