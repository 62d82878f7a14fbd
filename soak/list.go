package soak

import (
	"fmt"
	"os"
)

// ListArg makes the process of a repetition say, in place of one, what was imported
// into it: a list of Listed in JSON, in the file that the next argument names. Its
// output is anybody's who is imported.
const ListArg = "list"

// Listed is an executor that was imported, with what can be done with it.
type Listed struct {
	Name   string   `json:"name"`
	About  string   `json:"about"`
	Drills []string `json:"drills"` // that it fits
	// Injector or Deque is the back end that it shows, which the explorer knows.
	Injector string `json:"injector,omitempty"`
	Deque    string `json:"deque,omitempty"`
	// Skipped are the drills that it does not, each with the reason.
	Skipped map[string]string `json:"skipped"`
	Laws    []Laws            `json:"laws"`  // of its bare queues
	Error   string            `json:"error"` // why it cannot be made at all
}

// listing looks at an executor with one worker.
func listing(e Executor) Listed {
	l := Listed{Name: e.Name, About: e.About, Drills: []string{}, Skipped: map[string]string{}, Injector: e.injector, Deque: e.deque}
	for _, d := range drills {
		switch err := d.Fits(e); {
		case err == nil:
			l.Drills = append(l.Drills, d.Name)
		case d.needs.what != natives.what: // those are of packages of ours
			l.Skipped[d.Name] = err.Error()
		}
	}
	if len(l.Drills) == 0 {
		l.Error = l.Skipped[ExactlyOnce]
	} else {
		l.Laws = e.Laws()
	}
	return l
}

func list(given Given, path string) int {
	all := []Listed{}
	for _, e := range given[ImportName] {
		all = append(all, listing(e))
	}
	if err := writeJSON(path, all); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 4
	}
	return 0
}
