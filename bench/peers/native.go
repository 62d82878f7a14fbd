package peers

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/exactlyonce/certify/bench"
)

// programs are the native peers that native/build.sh makes.
var programs = []string{"tbb", "moodycamel", "rayon", "tokio", "crossbeam"}

// Natives are the cases of the native programs in dir. An empty dir has none. What is
// not there is told in lacking, a line each.
func Natives(dir string, workers int, s Sizes) (cases []bench.Case, lacking []string, err error) {
	for _, p := range programs {
		path := filepath.Join(dir, p)
		if _, err := os.Stat(path); dir == "" || err != nil {
			lacking = append(lacking, reason(dir, p))
			continue
		}
		some, err := casesOf(path, strconv.Itoa(s.Fib), strconv.Itoa(workers))
		if err != nil {
			return nil, nil, err
		}
		cases = append(cases, some...)
	}
	return cases, lacking, nil
}

// reason is why a program is not there, as the build has noted it.
func reason(dir, program string) string {
	noted, err := os.ReadFile(filepath.Join(dir, "lacking"))
	if dir != "" && err == nil {
		for line := range strings.Lines(string(noted)) {
			if strings.HasPrefix(line, program+": ") {
				return strings.TrimSpace(line)
			}
		}
	}
	return program + ": not built"
}

// casesOf asks a program for its cases.
func casesOf(path, fib, workers string) (cases []bench.Case, err error) {
	list, err := exec.Command(path, "list", fib, workers).Output()
	if err != nil {
		return nil, fmt.Errorf("peers: cases of %s: %w", path, err)
	}
	for _, name := range strings.Fields(string(list)) {
		cases = append(cases, bench.Case{Name: name, Open: func() (bench.Arm, error) {
			c, err := begin(exec.Command(path, name, fib, workers))
			if err == nil && strings.HasPrefix(name, "Fib/") {
				c.forks, err = forksOf(fib)
			}
			if err == nil {
				_, err = c.run(1) // makes its threads, which is no part of the first window
			}
			if err != nil {
				return nil, fmt.Errorf("peers: open %s: %w", name, err)
			}
			return &arm{name: name, run: c.run, wakes: noWakes, close: c.close}, nil
		}})
	}
	return cases, nil
}

// child is a native program that waits for orders.
type child struct {
	command *exec.Cmd
	orders  io.WriteCloser
	answers *bufio.Reader
	forks   int          // of an operation, if it forks
	said    bytes.Buffer // on its standard error
}

func begin(command *exec.Cmd) (*child, error) {
	c := &child{command: command}
	orders, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	answers, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.orders, c.answers = orders, bufio.NewReader(answers)
	command.Stderr = &c.said
	return c, command.Start()
}

// run has the child do n operations. Its processor time is its own, not ours.
func (c *child) run(n int) (outcome, error) {
	if _, err := fmt.Fprintln(c.orders, n); err != nil {
		return outcome{}, fmt.Errorf("order: %w", err)
	}
	line, err := c.answers.ReadString('\n')
	if err != nil {
		return outcome{}, fmt.Errorf("answer: %w", err)
	}
	var took, cpu int64
	if _, err := fmt.Sscan(line, &took, &cpu); err != nil {
		return outcome{}, fmt.Errorf("answer %q: %w", line, err)
	}
	out := outcome{
		elapsed: time.Duration(took),
		metrics: []bench.Metric{{Unit: "cpu-ns/op", Value: float64(cpu) / float64(n)}},
	}
	if c.forks > 0 {
		out.metrics = append(out.metrics, perTask(out.elapsed, n*c.forks))
	}
	return out, nil
}

func forksOf(fib string) (int, error) {
	n, err := strconv.Atoi(fib)
	return forks(n), err
}

func (c *child) close() error {
	err := errors.Join(c.orders.Close(), c.command.Wait())
	if err != nil && c.said.Len() > 0 {
		return fmt.Errorf("%w: %s", err, bytes.TrimSpace(c.said.Bytes()))
	}
	return err
}

// IsNative tells whether a case is that of a native program. What our own process has
// allocated and computed meanwhile says nothing of it.
func IsNative(name string) bool { return strings.Contains(name, "/native=") }

// Own leaves the metrics that are the arm's own. Of a unit that is there twice that is
// the last: the arm knows better than who measured from outside.
func Own(name string, metrics []bench.Metric) (own []bench.Metric) {
	for i, m := range metrics {
		alien := IsNative(name) && (m.Unit == "B/op" || m.Unit == "allocs/op")
		twice := false
		for _, later := range metrics[i+1:] {
			twice = twice || later.Unit == m.Unit
		}
		if !alien && !twice {
			own = append(own, m)
		}
	}
	return own
}
