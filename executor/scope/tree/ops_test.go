package tree

import (
	"errors"
	"strings"
)

// machine is what Tree and model have in common, answer by answer.
type machine interface {
	Root() ID
	Len() (scopes, tasks, resources int)
	Checkpoint(ID) error
	Nested(ID) (ID, error)
	Spawn(id ID, supervised, keep bool, move []Token) (Token, error)
	Stop(ID, Primary) (bool, error)
	ClaimJoin(ID, Token) error
	PollJoin(ID) (Outcome, bool, error)
	AbandonJoin(ID) error
	Discard(ID, Token) error
	Cancel(ID, Token, error) error
	BodyDone(ID, Outcome) error
	BeginHost(ID) error
	EndHost(ID) error
	BeginRelease(ID) (bool, error)
	Settle(ID, *Cleanup) (Outcome, error)
	BeginAcquire(ID) (Token, error)
	Publish(Token, any) (ID, error)
	Withdraw(Token) (ID, error)
	BeginUse(ID, Token) (any, error)
	EndUse(Token) (ID, error)
	Newest(ID) (Token, bool, error)
	ClaimClose(ID, Token) (any, bool, error)
	FinishClose(Token) (ID, error)
}

var (
	_ machine = (*Tree)(nil)
	_ machine = (*model)(nil)
)

// errRefused is what the room that a test takes away looks like.
var errRefused = errors.New("refused")

// call is one operation with its arguments, of which it uses some.
type call struct {
	op               int
	s                ID
	task, thing      Token
	supervised, keep bool
	move             []Token
	why              Primary
	cleanup          Cleanup
	value            int
	refuse           int // which reservation fails, from 1; 0 is none
}

// answer is all that an operation can say. Answers are compared whole.
type answer struct {
	err   error
	no    bool // done, but the answer is false
	id    ID
	token Token
	out   Outcome
	value any
}

// results are the names of what can come of a call, in the tables below.
var results = []struct {
	name string
	err  error
}{
	{"done", nil}, {"no", nil}, {"closed", ErrClosedScope}, {"stopped", ErrStopped}, {"stale", ErrStale},
	{"outside", ErrOutOfScope}, {"cycle", ErrJoinCycle}, {"invalid", ErrInvalidTransition},
	{"exhausted", ErrExhausted}, {"refused", errRefused},
}

// result is the index of an answer's result, or -1 for one that has no name.
func (a *answer) result() int {
	for i := range results {
		if a.err == results[i].err && (a.err != nil || a.no == (results[i].name == "no")) {
			return i
		}
	}
	return -1
}

// ops are all operations: how often they are chosen, how they are called, and
// what may come of them, all of which must come of them, and nothing else.
var ops = []struct {
	name   string
	weight int
	may    string
	run    func(m machine, c *call) answer
}{
	{"Checkpoint", 1, "done closed stopped invalid", func(m machine, c *call) (a answer) { a.err = m.Checkpoint(c.s); return }},
	{"Nested", 4, "done closed stopped invalid exhausted refused", func(m machine, c *call) (a answer) { a.id, a.err = m.Nested(c.s); return }},
	{"Spawn", 10, "done closed stopped stale outside invalid exhausted refused", func(m machine, c *call) (a answer) {
		a.token, a.err = m.Spawn(c.s, c.supervised, c.keep, c.move)
		return
	}},
	{"Stop", 1, "done no closed invalid", func(m machine, c *call) (a answer) {
		first, err := m.Stop(c.s, c.why)
		a.no, a.err = !first, err
		return
	}},
	{"ClaimJoin", 10, "done closed stopped stale outside cycle invalid", func(m machine, c *call) (a answer) { a.err = m.ClaimJoin(c.s, c.task); return }},
	{"PollJoin", 3, "done no closed invalid", func(m machine, c *call) (a answer) {
		var ok bool
		a.out, ok, a.err = m.PollJoin(c.s)
		a.no = !ok
		return
	}},
	{"AbandonJoin", 1, "done closed invalid", func(m machine, c *call) (a answer) { a.err = m.AbandonJoin(c.s); return }},
	{"Discard", 2, "done closed stopped stale outside invalid", func(m machine, c *call) (a answer) { a.err = m.Discard(c.s, c.task); return }},
	{"Cancel", 2, "done closed stopped stale outside invalid", func(m machine, c *call) (a answer) { a.err = m.Cancel(c.s, c.task, fault(c.value)); return }},
	{"BodyDone", 5, "done closed invalid", func(m machine, c *call) (a answer) { a.err = m.BodyDone(c.s, Outcome{c.why, c.cleanup}); return }},
	{"BeginHost", 2, "done closed stopped invalid", func(m machine, c *call) (a answer) { a.err = m.BeginHost(c.s); return }},
	{"EndHost", 3, "done closed invalid", func(m machine, c *call) (a answer) { a.err = m.EndHost(c.s); return }},
	{"BeginRelease", 6, "done no closed invalid", func(m machine, c *call) (a answer) {
		ready, err := m.BeginRelease(c.s)
		a.no, a.err = !ready, err
		return
	}},
	{"Settle", 7, "done closed invalid", func(m machine, c *call) (a answer) { a.out, a.err = m.Settle(c.s, &c.cleanup); return }},
	{"BeginAcquire", 4, "done closed exhausted refused", func(m machine, c *call) (a answer) { a.token, a.err = m.BeginAcquire(c.s); return }},
	{"Publish", 5, "done stale", func(m machine, c *call) (a answer) { a.id, a.err = m.Publish(c.thing, c.value); return }},
	{"Withdraw", 1, "done stale", func(m machine, c *call) (a answer) { a.id, a.err = m.Withdraw(c.thing); return }},
	{"BeginUse", 2, "done closed stale outside", func(m machine, c *call) (a answer) { a.value, a.err = m.BeginUse(c.s, c.thing); return }},
	{"EndUse", 3, "done stale invalid", func(m machine, c *call) (a answer) { a.id, a.err = m.EndUse(c.thing); return }},
	{"Newest", 2, "done no closed", func(m machine, c *call) (a answer) {
		var ok bool
		a.token, ok, a.err = m.Newest(c.s)
		a.no = !ok
		return
	}},
	{"ClaimClose", 4, "done no closed stale outside invalid", func(m machine, c *call) (a answer) {
		var first bool
		a.value, first, a.err = m.ClaimClose(c.s, c.thing)
		a.no = !first
		return
	}},
	{"FinishClose", 4, "done stale invalid", func(m machine, c *call) (a answer) { a.id, a.err = m.FinishClose(c.thing); return }},
}

// The no of an error is not an answer.
func (a *answer) normal() {
	if a.err != nil {
		a.no = false
	}
}

// theme is what a history is about: what happens only after many calls of some
// kinds would hardly happen among all the others.
type theme struct {
	lottery  []int // each operation as often as its weight says
	patience int   // how many calls come between steps towards an end
}

var themes = []theme{
	{lotteryOf(""), 3},
	{lotteryOf("Nested Spawn ClaimJoin BodyDone"), 10},
	{lotteryOf("Nested Spawn Stop BodyDone BeginAcquire Publish BeginUse EndUse ClaimClose FinishClose"), 3},
}

// lotteryOf is for the operations named, or all.
func lotteryOf(names string) (tickets []int) {
	for i := range ops {
		for range ops[i].weight {
			if names == "" || strings.Contains(" "+names+" ", " "+ops[i].name+" ") {
				tickets = append(tickets, i)
			}
		}
	}
	return tickets
}

func opNamed(name string) int {
	for i := range ops {
		if ops[i].name == name {
			return i
		}
	}
	panic("no operation " + name)
}

// tally counts what came of each operation.
type tally [32][16]int

// gaps are the results that should have come and did not.
func (n *tally) gaps() (missing []string) {
	for i := range ops {
		for j := range results {
			if n[i][j] == 0 && strings.Contains(" "+ops[i].may+" ", " "+results[j].name+" ") {
				missing = append(missing, ops[i].name+" "+results[j].name)
			}
		}
	}
	return missing
}
