package gate

import (
	"errors"
	"fmt"
)

// check holds one interleaving against the laws.
func (r *run) check() error {
	for _, law := range []func(*run) error{
		(*run).oneEndG3, (*run).admissionsG1, (*run).losersG3, (*run).notAfterNewerG2, (*run).readersG5, (*run).restG2G4G6,
	} {
		if err := law(r); err != nil {
			return err
		}
	}
	return nil
}

// won counts the calls of that name that won.
func (r *run) won(ops ...string) (n int) {
	for _, s := range r.seen {
		for _, op := range ops {
			if s.op == op && s.err == nil {
				n++
			}
		}
	}
	return n
}

// called counts the calls of that name.
func (r *run) called(op string) (n int) {
	for _, s := range r.seen {
		if s.op == op {
			n++
		}
	}
	return n
}

// oneEndG3: a revision ends at most once, and exactly once when somebody
// tried and nothing else was in the way.
func (r *run) oneEndG3() error {
	ends := r.won("publish2", "fail2", "cancel2")
	tried := r.called("publish2") + r.called("fail2") + r.called("cancel2")
	if ends > 1 || ends == 0 && tried > 0 && r.won("admit3", "admit4", "forget") == 0 {
		return fmt.Errorf("G3: revision 2 ended %d times", ends)
	}
	return nil
}

// admissionsG1: what is not newer is refused, and why. After a Forget anything
// may be admitted.
func (r *run) admissionsG1() error {
	if r.called("forget") > 0 {
		return nil
	}
	for _, s := range r.seen {
		ok := true
		switch newer := r.won("admit3", "admit4") > 0; s.op {
		case "admit1":
			ok = errors.Is(s.err, ErrStaleRevision)
		case "admit2":
			ok = errors.Is(s.err, ErrDuplicateRevision) || newer && errors.Is(s.err, ErrStaleRevision)
		case "admit3":
			ok = s.err == nil || r.won("admit4") > 0 && errors.Is(s.err, ErrStaleRevision)
		case "admit4":
			ok = s.err == nil
		}
		if !ok {
			return fmt.Errorf("G1: %s got %v", s.op, s.err)
		}
	}
	return nil
}

// losersG3: each loser is told something that did happen.
func (r *run) losersG3() error {
	for _, s := range r.seen {
		op, rev := s.op[:len(s.op)-1], s.op[len(s.op)-1]
		if s.err == nil || op == "cancel" || op == "admit" {
			continue
		}
		told := false
		for why, happened := range map[error]bool{
			ErrSuperseded: rev == '2' && r.won("admit3") > 0 || r.won("admit4") > 0,
			ErrCancelled:  rev == '2' && r.won("cancel2") > 0,
			ErrTerminal:   rev == '2' && r.won("publish2", "fail2") > 0,
			ErrForgotten:  r.won("forget") > 0,
			ErrStarted:    s.op == "start2",
			ErrNotStarted: s.op == "publish3" && r.won("start3") == 0,
		} {
			told = told || happened && errors.Is(s.err, why)
		}
		if !told {
			return fmt.Errorf("G3: %s was told %v", s.op, s.err)
		}
	}
	return nil
}

// notAfterNewerG2: what begins after a newer admission has returned loses.
func (r *run) notAfterNewerG2() error {
	for _, newer := range r.seen {
		if newer.err != nil || newer.op != "admit3" && newer.op != "admit4" {
			continue
		}
		for _, s := range r.seen {
			if s.err == nil && s.begin > newer.end && (s.op == "publish2" || s.op == "fail2" || s.op == "cancel2") {
				return fmt.Errorf("G2: %s won after %s", s.op, newer.op)
			}
		}
	}
	return nil
}

// readersG5: what was read does not go back, nor behind a publish that had
// returned, and at rest it is the newest that won.
func (r *run) readersG5() error {
	if r.called("forget") > 0 {
		return nil
	}
	newest := uint64(1)
	for op, rev := range map[string]uint64{"publish2": 2, "publish3": 3} {
		if r.won(op) > 0 {
			newest = max(newest, rev)
		}
	}
	last := uint64(1)
	for _, s := range r.seen {
		if s.op != "read" {
			continue
		}
		for _, p := range r.seen {
			if p.err == nil && p.op == "publish2" && p.end < s.begin {
				last = max(last, 2)
			}
			if p.err == nil && p.op == "publish3" && p.end < s.begin {
				last = max(last, 3)
			}
		}
		if s.value < last || s.value > newest {
			return fmt.Errorf("G5: read %d after %d, newest that won is %d", s.value, last, newest)
		}
		last = s.value
	}
	if got := r.subject.latest(); got != newest {
		return fmt.Errorf("G5: at rest %d is read, want %d", got, newest)
	}
	return nil
}

// restG2G4G6: at rest the word belongs to the newest admitted revision, older
// ones stay ended and their contexts with them, and a ticket is kept exactly
// while that revision has not ended.
func (r *run) restG2G4G6() error {
	if r.called("forget") > 0 {
		return nil
	}
	want := uint64(2)
	for op, rev := range map[string]uint64{"admit3": 3, "admit4": 4} {
		if r.won(op) > 0 {
			want = max(want, rev)
		}
	}
	rev, s := r.subject.final()
	if rev != want {
		return fmt.Errorf("G2: at rest the word is of revision %d, want %d", rev, want)
	}
	if kept := r.subject.kept(); kept != (s == pending || s == running) {
		return fmt.Errorf("G6: at rest state %d, and a ticket is kept: %v", s, kept)
	}
	if ended := r.subject.cause(2) != nil; ended != (rev != 2 || s != running) {
		return fmt.Errorf("G2: at rest the context of revision 2 has ended: %v", ended)
	}
	end := map[string]state{"publish2": published, "fail2": failed, "cancel2": cancelled}
	for op, state := range end {
		if rev == 2 && r.won(op) > 0 && s != state {
			return fmt.Errorf("G4: %s won, and at rest the state is %d", op, s)
		}
	}
	return nil
}
