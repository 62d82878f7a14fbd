package explore

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"github.com/exactlyonce/certify/soak/explore/control"
)

// A schedule is written as runs: a letter for the thread, and how many steps it
// goes on, if not one. a3ba2 is three steps of the first thread declared, one
// of the second and two of the first. The digits and + and / are letters of
// threads from the 53rd on, and are written in brackets.

// encode writes the schedule of an execution.
func encode(events []control.Event) string {
	var b strings.Builder
	for i := 0; i < len(events); {
		j := i
		for j < len(events) && events[j].Thread == events[i].Thread {
			j++
		}
		letter := control.Letter(int(events[i].Thread))
		if events[i].Thread >= 52 {
			letter = "[" + letter + "]"
		}
		b.WriteString(letter)
		if j-i > 1 {
			b.WriteString(strconv.Itoa(j - i))
		}
		i = j
	}
	return b.String()
}

// decode reads a schedule into one thread a step, at most most steps.
func decode(schedule string, most int) (steps []int, err error) {
	for i := 0; i < len(schedule); {
		thread, width := letter(schedule[i:])
		if thread < 0 {
			return nil, fmt.Errorf("explore: schedule %.80q: %q is no thread", schedule, schedule[i:i+1])
		}
		i += width
		j := i
		for j < len(schedule) && schedule[j] >= '0' && schedule[j] <= '9' {
			j++
		}
		n := 1
		if j > i {
			n, err = strconv.Atoi(schedule[i:j])
			if err != nil || n < 1 {
				return nil, fmt.Errorf("explore: schedule %.80q: %.40q is no number of steps", schedule, schedule[i:j])
			}
		}
		if n > most-len(steps) { // their sum may overflow
			return nil, fmt.Errorf("explore: schedule %.80q: more than %d steps", schedule, most)
		}
		for range n {
			steps = append(steps, thread)
		}
		i = j
	}
	return steps, nil
}

// letter reads a thread from the beginning of s.
func letter(s string) (thread, width int) {
	switch c := s[0]; {
	case c >= 'a' && c <= 'z':
		return int(c - 'a'), 1
	case c >= 'A' && c <= 'Z':
		return int(c-'A') + 26, 1
	}
	if len(s) >= 3 && s[0] == '[' && s[2] == ']' {
		for t := 52; t < control.MaxThreads; t++ {
			if control.Letter(t) == s[1:2] {
				return t, 3
			}
		}
	}
	return -1, 0
}

// Replay runs the one order that schedule says, as it stands in a [Failure].
// Where it cannot be followed, or ends, the last thread goes on if it can; the
// report says where that was first.
func Replay(schedule string) Strategy { return replaying(schedule) }

type replaying string

func (s replaying) String() string { return "replay " + string(s) }

func (s replaying) start(o Options) search {
	r := &replay{}
	r.steps, r.err = decode(string(s), o.Steps)
	return r
}

type replay struct {
	steps    []int
	diverged int
	err      error
}

func (r *replay) begin(*control.Execution) {}

func (r *replay) Pick(x *control.Execution, enabled control.Set) int {
	i := len(x.Events())
	if i < len(r.steps) && enabled.Has(r.steps[i]) {
		return r.steps[i]
	}
	if r.diverged == 0 {
		r.diverged = i + 1
	}
	return goOn(x, enabled)
}

func (r *replay) Commit(*control.Execution, int) {}

func (r *replay) next(x *control.Execution, _ control.End) (bool, error) {
	if n := len(x.Events()); r.diverged == 0 && n < len(r.steps) {
		r.diverged = n + 1
	}
	return false, r.err
}

func (r *replay) report(to *Report) {
	to.Exhausted = false
	to.Diverged = r.diverged
}

// goOn is the last thread if it can go on, else the first that can.
func goOn(x *control.Execution, enabled control.Set) int {
	if last := x.Last(); enabled.Has(last) {
		return last
	}
	return bits.TrailingZeros64(uint64(enabled))
}

// Tape runs one order that bytes decide, for fuzzing: each step with several
// threads to choose from takes a byte, where 0 is to go on. After the last byte
// threads go on as long as they can.
func Tape(bytes []byte) Strategy { return tape(bytes) }

type tape []byte

func (t tape) String() string       { return fmt.Sprintf("tape of %d bytes", len(t)) }
func (t tape) start(Options) search { return &playing{tape: t} }

type playing struct {
	tape []byte
	at   int
}

func (p *playing) begin(*control.Execution)       { p.at = 0 }
func (p *playing) Commit(*control.Execution, int) {}
func (p *playing) report(r *Report)               { r.Exhausted = false }

func (p *playing) next(*control.Execution, control.End) (bool, error) { return false, nil }

func (p *playing) Pick(x *control.Execution, enabled control.Set) int {
	first := goOn(x, enabled)
	n := bits.OnesCount64(uint64(enabled))
	if n < 2 || p.at >= len(p.tape) {
		return first
	}
	k := int(p.tape[p.at]) % n
	p.at++
	if k == 0 {
		return first
	}
	return nth(enabled&^control.One(first), k-1)
}

// follow repeats the order of events, then goes on.
type follow struct{ events []control.Event }

func (f *follow) Pick(x *control.Execution, enabled control.Set) int {
	if i := len(x.Events()); i < len(f.events) {
		if t := int(f.events[i].Thread); enabled.Has(t) {
			return t
		}
	}
	return goOn(x, enabled)
}

func (f *follow) Commit(*control.Execution, int) {}
