package limbo

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/exactlyonce/certify/soak/explore"
	"github.com/exactlyonce/certify/soak/explore/atomic"
	"github.com/exactlyonce/certify/soak/explore/trial"
)

func TestParse(t *testing.T) {
	for _, text := range []string{"[r]|[x]", "[r[]]|[ax]@wrap", "[x]|[x]|[x]@home", "[x]@wrap@home", "[x][r]|[[a]]"} {
		p, err := Parse(text)
		if err != nil || p.String() != text {
			t.Errorf("%s: %v, %v", text, p, err)
		}
	}
	for _, text := range []string{"", "[r]|", "r", "[r", "r]", "[q]", "[r]]", "[r]@end", "[r]@home@wrap", strings.Repeat("[r]|", 4) + "[r]", "[" + strings.Repeat("r", 40) + "]"} {
		if p, err := Parse(text); err == nil || !strings.Contains(err.Error(), "limbo: ") {
			t.Errorf("%q: %v, %v", text, p, err)
		}
	}
}

// TestEnumeration: the numbers, no program twice, and each reads back.
func TestEnumeration(t *testing.T) {
	for _, test := range []struct {
		size Size
		want int
	}{{Size{2, 4}, 18}, {Size{3, 5}, 78}, {Size{4, 6}, 633}} {
		seen := map[string]bool{}
		for _, p := range Programs(test.size) {
			text := p.String()
			if back, err := Parse(text); err != nil || back.String() != text || seen[text] || !slices.Equal(back.Words, p.Words) {
				t.Errorf("%s: %v, %v, seen before: %v", text, back, err, seen[text])
			}
			seen[text] = true
		}
		if len(seen) != test.want {
			t.Errorf("%v: %d programs, want %d", test.size, len(seen), test.want)
		}
		for _, must := range []string{"[x]|[r]", "[x]|[x]|[x]@home", "[x][x]|[r[r]]"} {
			if !seen[must] {
				t.Errorf("%v: no %s", test.size, must)
			}
		}
	}
}

// patient is a reclaimer that counts pins and reclaims when the last one ends, which
// is right. It has the faults that a test gives it.
type patient struct {
	Options
	fault string
	pins  atomic.Int64
	lock  atomic.Bool
	limbo []*Node
	free  []*Node
}

func (d *patient) Home() Home { return d }

// exclusive runs f while nobody else is in one.
func (d *patient) exclusive(f func()) {
	for !d.lock.CompareAndSwap(false, true) {
	}
	f()
	d.lock.Store(false)
}

func (d *patient) Pin() Guard {
	d.exclusive(func() { d.pins.Add(1) })
	return d
}

func (d *patient) Unpin() {
	d.exclusive(func() {
		if d.pins.Add(-1) == 0 && d.fault != "never" {
			d.collect()
		}
	})
}

func (d *patient) Retire(n *Node) {
	d.exclusive(func() {
		d.limbo = append(d.limbo, n)
		if d.fault == "at once" {
			d.collect()
		}
	})
}

func (d *patient) collect() {
	for _, n := range d.limbo {
		if d.fault != "unclean" {
			d.Reclaim(n)
		}
		if d.fault == "again" {
			d.Reclaim(n)
		}
		if d.fault == "both" {
			d.Discard(n)
		}
	}
	d.free, d.limbo = append(d.free, d.limbo...), nil
}

func (d *patient) Alloc() (n *Node) {
	d.exclusive(func() {
		if len(d.free) == 0 {
			return
		}
		n = d.free[0]
		if d.fault != "twice" {
			d.free = d.free[1:]
		}
	})
	return n
}

func reclaimer(fault string) Reclaimer {
	return Reclaimer{Name: "patient", New: func(o Options) Domain { return &patient{Options: o, fault: fault} }}
}

// TestLaws: each law is broken by the fault that it is there for.
func TestLaws(t *testing.T) {
	for _, row := range []struct{ fault, program, want string }{
		{"at once", "[x]|[r]", "used after it had been reclaimed"},
		{"never", "[x]|[r]", "was never reclaimed"},
		{"again", "[x]|[r]", "was reclaimed and is reclaimed"},
		{"both", "[x]|[r]", "was discarded and is reclaimed"},
		{"unclean", "[a]|[r]", "given out and had not been reclaimed"},
		{"twice", "[aa]|[r]", "given out once too often"},
	} {
		p, err := Parse(row.program)
		if err != nil {
			t.Fatal(err)
		}
		r, err := explore.Run(newPlay(p, reclaimer(row.fault)).Body, explore.Options{Strategy: explore.Preemptions(2)})
		if err != nil || r.Failure == nil || !strings.Contains(r.Failure.Error(), row.want) {
			t.Errorf("%s: %v, %v", row.fault, r, err)
		}
	}
}

// TestNoFault: a reclaimer that is right passes, and what counts say of it is so.
func TestNoFault(t *testing.T) {
	counts := map[string]int{}
	for _, text := range []string{"[x]|[r]", "[ax]|[r]", "[aa]|[x]", "[x]|[x]@wrap", "[x]|[r[]]@home", "[x]|[x]|[r]"} {
		p, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		r := trial.Run("patient", newPlay(p, reclaimer("")), explore.Options{Executions: 20})
		if !r.Passed() {
			t.Fatalf("%+v", r)
		}
		for what, n := range r.Counts {
			counts[what] += n
		}
	}
	if counts["reclaimed"] == 0 || counts["reused"] == 0 || counts["reclaimed-under-a-pin"] != 0 {
		t.Errorf("%v", counts)
	}
}

// TestSmaller: each is valid, and less.
func TestSmaller(t *testing.T) {
	p, err := Parse("[r[]]|[ax][x]@wrap@home")
	if err != nil {
		t.Fatal(err)
	}
	all := p.smaller()
	for _, s := range all {
		if !s.valid() || len(s.String()) >= len(p.String()) {
			t.Errorf("%v of %v", s, p)
		}
	}
	if len(all) != 7 {
		t.Errorf("%d: %v", len(all), all)
	}
}

// TestMainFunction: results are lines, a failure replays, and nonsense is told.
func TestMainFunction(t *testing.T) {
	all := []Reclaimer{reclaimer(""), {Name: "bad", New: reclaimer("never").New}}
	var out, words bytes.Buffer
	if code := Main(all, []string{"-reclaimer", "bad", "-word", "2", "-pair", "4", "-first", "-executions", "100"}, &out, &words); code != 1 {
		t.Errorf("code %d: %s%s", code, &out, &words)
	}
	var r trial.Result
	lines := bytes.Split(bytes.TrimSpace(out.Bytes()), []byte("\n"))
	if err := json.Unmarshal(lines[len(lines)-1], &r); err != nil || r.Backend != "bad" || r.Schedule == "" {
		t.Fatalf("%+v, %v", r, err)
	}
	out.Reset()
	if code := Main(all, []string{"-reclaimer", "bad", "-scenario", r.Smallest, "-replay", r.Schedule}, &out, &words); code != 1 || !strings.Contains(out.String(), "was never reclaimed") {
		t.Errorf("replayed: code %d: %s%s", code, &out, &words)
	}
	if code := Main(all, []string{"-reclaimer", "patient", "-scenario", "[x]|[r]", "-executions", "20"}, &out, &words); code != 0 {
		t.Errorf("code %d: %s", code, &out)
	}
	for _, args := range [][]string{{"-replay", "a"}, {"-scenario", "QQ"}, {"-word", "x"}} {
		if code := Main(all, args, &out, &words); code != 2 || words.Len() == 0 {
			t.Errorf("%v: code %d", args, code)
		}
		words.Reset()
	}
}
