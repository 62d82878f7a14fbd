package executor

// SleepWord shows the packed word of e's sleep protocol and what it counts.
func SleepWord(e *Executor) (searching, idle, stack int) {
	s := &e.sleep
	s.mu.Lock()
	defer s.mu.Unlock()
	word := s.word.Load()
	return searchingOf(word), idleOf(word), len(s.stack)
}

// InjectorTick is after how many finds a worker looks at the injector first.
const InjectorTick = injectorTick

// Waiting is how many submitters wait for room.
func Waiting(e *Executor) int {
	n := e.room.length.Load()
	for p := range e.intake.room {
		n += e.intake.room[p].length.Load()
	}
	return int(n)
}

// Executor is where the tasks of s run.
func (s *Storage[R]) Executor() *Executor { return s.exec }

// Away is how many workers have given their place away.
func Away(e *Executor) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.away)
}
