package soak

import "github.com/exactlyonce/certify/soak/monitor"

// Laws are what a drill of a bare queue holds its history against.
type Laws struct {
	Drill     string         `json:"drill"`
	Criterion string         `json:"criterion"`
	Rules     []monitor.Rule `json:"rules"` // those that are left out say why
}

// Laws are those of the executor's bare queues; none if it has none that can be had.
func (e Executor) Laws() (all []Laws) {
	s, release, err := e.shape()
	if err != nil {
		return nil // whoever runs it is told
	}
	defer release()
	q, ok := s.(queued)
	if !ok {
		return nil
	}
	injector, deque := q.Queues()
	return []Laws{
		{injectorDrill, criterion(injector).Name, HistoryLaws(injector)},
		{dequeDrill, criterion(deque).Name, HistoryLaws(deque)},
	}
}
