package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// memories give a child that hoards less than it takes: by the guard, by the kernel's
// group, by the address space.
func memories(b *bench, o *outcome) {
	hoard := func(more ...string) launch {
		return b.hostile("hoards", b.dir(), append([]string{"--tasks", "300"}, more...)...)
	}
	e := b.run(hoard("--memory", "256MiB"))
	o.trial("the ceiling of --memory", want{codes: []int{1}, verdict: "FAILED", words: []string{"FAILED (memory)", "its ceiling is 268435456 B"}}.problems(e))

	l := hoard("--memory", "0")
	if g, err := newGroup(1 << 30); err != nil {
		o.notRun("a group of the kernel: %v", err)
	} else {
		l.under = g.join()
		o.trial("a memory group of 1 GiB", killedByKernel(b.run(l)))
		g.remove()
	}
	l = hoard("--memory", "0", "--deadline", "1m")
	if prlimit, err := exec.LookPath("prlimit"); err != nil {
		o.notRun("a limit of the address space: %v", err)
	} else {
		l.under = []string{prlimit, "--as=2147483648", "--"}
		e := b.run(l)
		o.trial("an address space of 2 GiB", want{codes: []int{1}, verdict: "FAILED", words: []string{"FAILED (crash)", "memory"}}.problems(e))
	}
}

// killedByKernel: it takes the hoarder, and may take the run.
func killedByKernel(e end) []string {
	if e.code < 0 {
		return want{codes: []int{-1}}.problems(e)
	}
	return want{codes: []int{1}, verdict: "FAILED", words: []string{"FAILED (crash)", "killed by signal 9"}}.problems(e)
}

// lowWaters put a host below the mark: one that is too high for any, and, in a memory
// group, one that something else eats up while the run goes on.
func lowWaters(b *bench, o *outcome) {
	w := want{codes: []int{3}, verdict: "INCONCLUSIVE", words: []string{"INCONCLUSIVE (guard)", "its low-water mark is", "begin a new run"}}
	dir := b.dir()
	e := b.run(b.soak(dir, "--low-water", "1PiB"))
	bad := append(w.problems(e), w.problems(b.run(b.resume(dir)))...)
	o.trial("a mark of 1 PiB, from the start", bad)

	g, err := newGroup(700 << 20)
	if err != nil {
		o.notRun("a host that runs short of memory: a memory group: %v", err)
		return
	}
	defer g.remove()
	d, err := newDisk(b, "1g")
	if err != nil {
		o.notRun("a host that runs short of memory: mount: %v", err)
		return
	}
	defer d.close()
	o.trial("memory that goes while it runs", shrinks(b, g, d, w))
	o.note("a memory group of 700 MiB is the host, and a file of 600 MiB in a file system in memory is what eats it up")
}

// shrinks: the runner is built outside of the group, for which it would be too much.
func shrinks(b *bench, g group, d disk, w want) []string {
	dir := b.dir()
	before, err := b.half(b.soak(dir, "--low-water", "128MiB"), dir, 1)
	if err != nil {
		return []string{err.Error()}
	}
	l := b.resume(dir)
	l.under = g.join()
	p, err := b.start(l)
	if err != nil {
		return []string{err.Error()}
	}
	if !p.records(dir, len(before.rows)+2) {
		return []string{"over before it began: " + tail(p.wait().err)}
	}
	join := g.join()
	eat := exec.Command(join[0], append(join[1:], "head", "-c", "600M", "/dev/zero")...)
	file, err := os.Create(filepath.Join(d.dir, "eaten"))
	if err != nil {
		return []string{err.Error()}
	}
	defer file.Close()
	eat.Stdout = file
	eaten := eat.Run()
	e := p.wait()
	bad := w.problems(e)
	if eaten != nil {
		bad = append(bad, "eating up the memory: "+eaten.Error())
	}
	after, err := readLedger(dir)
	if err != nil {
		return append(bad, err.Error())
	}
	bad = append(append(bad, before.keeps(after)...), after.problems(false)...)
	if rows := after.failed(); len(rows) != 1 || rows[0].Reason != "guard" {
		bad = append(bad, fmt.Sprintf("rows that are not clean: %+v, want one, of the guard", rows))
	}
	_ = os.Remove(file.Name()) // there is memory again, and it must make no difference
	e = b.run(b.resume(dir))
	return append(bad, w.problems(e)...)
}

// group is one of the kernel's, of processes with a limit of memory.
type group struct{ dir string }

// newGroup makes one, below the root of the hierarchy: of version 1, or else 2.
func newGroup(limitB int64) (group, error) {
	const root = "/sys/fs/cgroup"
	name := "certify-faults-" + strings.ToLower(rand.Text()[:8])
	var errs error
	for _, try := range []struct{ dir, limit string }{
		{filepath.Join(root, "memory", name), "memory.limit_in_bytes"}, {filepath.Join(root, name), "memory.max"},
	} {
		err := os.Mkdir(try.dir, 0o755)
		if err == nil {
			err = os.WriteFile(filepath.Join(try.dir, try.limit), fmt.Append(nil, limitB), 0)
			if err == nil {
				return group{try.dir}, nil
			}
			_ = os.Remove(try.dir) // it was no group that limits memory
		}
		errs = errors.Join(errs, err)
	}
	return group{}, errs
}

// join is a command that runs the rest of its words in the group.
func (g group) join() []string {
	return []string{"sh", "-c", `echo $$ >"$0/cgroup.procs" && exec "$@"`, g.dir}
}

// remove takes it away when the last of it is gone.
func (g group) remove() {
	for range 100 {
		if os.Remove(g.dir) == nil {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
}
