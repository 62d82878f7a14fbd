package control

// spin finds a thread that goes round in a loop and waits for a store.
//
// As long as nobody stores anything, a thread that comes to the same load again
// and again sees the same values. After Execution.Spin visits, or at a second
// Gosched, it is held until there is a store. If everybody left is held, they
// go on one after the other: a loop with a limit comes to its end, and one
// without is a livelock, after Execution.Patience steps without a store.
//
// Any store ends the hold, also one that the loop does not look at: orders that
// differ in useless rounds only are of different classes.
//
// A thread that counts its rounds may be held although it would have given up:
// orders in which it gives up first are left out. Execution.Held counts.
type spin struct {
	writes int // the number of stores that the visits are for
	visits []visit
}

type visit struct {
	loc   int32
	times int
}

func (s *spin) reset(writes int) {
	s.writes = writes
	s.visits = s.visits[:0]
}

// visit counts a load at loc, or a CAS that failed, when the number of stores
// is writes.
func (s *spin) visit(loc int32, writes int) {
	if s.writes != writes {
		s.reset(writes)
	}
	for i := range s.visits {
		if s.visits[i].loc == loc {
			s.visits[i].times++
			return
		}
	}
	s.visits = append(s.visits, visit{loc, 1})
}

// held tells whether a thread that is about to visit loc goes round in a loop.
func (s *spin) held(loc int32, writes, limit int) bool {
	if s.writes != writes {
		return false
	}
	for _, v := range s.visits {
		if v.loc == loc {
			if loc == yielding {
				return true
			}
			return v.times >= limit
		}
	}
	return false
}
