//go:build unix && !linux

package child

import (
	"fmt"
	"time"

	"github.com/exactlyonce/certify/soak/guard"
)

// wait reaps at once. Between that and bury the number of the group could in
// principle be given away, if nobody in it is alive.
func (g group) wait(reap func() error) { _ = reap() }

// bury kills what is left of the group, and returns how many there were,
// unless the group was killed with the child: then they only die later.
func (g group) bury(killed bool) (int, error) {
	left, err := guard.Tree(g.pid)
	if err != nil {
		return 0, err
	}
	survivors := len(left.PIDs)
	if killed {
		survivors = 0
	}
	end := time.Now().Add(dyingLimit)
	for len(left.PIDs) > 0 {
		if time.Now().After(end) {
			return survivors, fmt.Errorf("processes %v: killed, and do not die", left.PIDs)
		}
		g.kill()
		time.Sleep(time.Millisecond)
		if left, err = guard.Tree(g.pid); err != nil {
			return survivors, err
		}
	}
	return survivors, nil
}

// killOthers does nothing: the environment of others cannot be read here.
func (g group) killOthers() {}
