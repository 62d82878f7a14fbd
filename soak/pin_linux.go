package soak

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// pinToOne puts all threads that there are on the first processor that the process
// may use; those to come inherit it. What the system refuses stays as it is.
func pinToOne() (stop func()) {
	var all, one unix.CPUSet
	if unix.SchedGetaffinity(0, &all) != nil {
		return func() {}
	}
	for cpu := range 1024 {
		if all.IsSet(cpu) {
			one.Set(cpu)
			break
		}
	}
	setAffinity(&one)
	return func() { setAffinity(&all) }
}

func setAffinity(set *unix.CPUSet) {
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return
	}
	for _, t := range threads {
		if id, err := strconv.Atoi(t.Name()); err == nil {
			_ = unix.SchedSetaffinity(id, set) // of a thread that has ended, too
		}
	}
}
