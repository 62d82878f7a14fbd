package peers

import (
	"errors"
	"fmt"

	"github.com/exactlyonce/certify/executor"
)

// stored is tasks with handles in storages, which are used again and again: while the
// tasks of one run, the other is filled. One goroutine gives them.
type stored struct {
	exec  *executor.Executor
	rooms [2]*executor.Storage[struct{}]
	now   int // the one that is filled
	left  int // its room
}

// storageRoom is the room of each storage.
const storageRoom = 8192

func openStored(b backEnds) open[handled] {
	return func(o Options) (Pool[handled], error) {
		e, err := b.open(o)
		if err != nil {
			return nil, err
		}
		p := &stored{exec: e, left: storageRoom}
		for i := range p.rooms {
			p.rooms[i] = executor.NewStorage[struct{}](e, storageRoom)
		}
		return p, nil
	}
}

func (p *stored) Begin(int) {}

func (p *stored) Task(body Body) handled {
	return func(w *executor.Worker) (none struct{}, err error) {
		body(w)
		return none, nil
	}
}

func (p *stored) Submit(t handled) error {
	if p.left == 0 {
		p.now = 1 - p.now
		if err := p.empty(p.rooms[p.now]); err != nil {
			return err
		}
		p.left = storageRoom
	}
	p.left--
	_, err := p.rooms[p.now].Submit(background, t)
	return err
}

// empty waits for the tasks in a storage, and makes its room free.
func (p *stored) empty(s *executor.Storage[struct{}]) error {
	var failed error
	err := s.Wait(background, func(i int, _ struct{}, err error) {
		if err != nil && failed == nil {
			failed = fmt.Errorf("peers: task %d: %w", i, err)
		}
	})
	return errors.Join(err, failed, s.Reset())
}

// Spawn is not for storages, which belong to one goroutine: see entries.
func (p *stored) Spawn(*executor.Worker, handled) error {
	return errors.New("peers: a storage is filled from outside only")
}

func (p *stored) Wait() error {
	p.left = storageRoom
	return errors.Join(p.empty(p.rooms[1-p.now]), p.empty(p.rooms[p.now]))
}

func (p *stored) Close() error { return p.exec.Shutdown(background) }

func (p *stored) Wakes() uint64 { return p.exec.Stats().Wakes }
