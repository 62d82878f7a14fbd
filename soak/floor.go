package soak

import "github.com/exactlyonce/certify/queues"

// Floor is the least of something that the clean repetitions of a key must have
// counted, all together: below it the interesting cases were so rare that a pass
// means nothing.
type Floor struct {
	Unit  string  `json:"unit"`
	Least float64 `json:"least"`
}

// Floors are those of a drill on a number of workers. What a subject does not count
// cannot be asked of it, and is said. The numbers are some hundredths of what one
// repetition of the drill's own size has on two processors.
func Floors(drill string, workers int) (all []Floor) {
	for _, f := range floors[drill] {
		if f.workers <= workers {
			all = append(all, f.Floor)
		}
	}
	return all
}

type floor struct {
	Floor
	workers int // with fewer there cannot be any
}

var floors = map[string][]floor{
	ExactlyOnce: {
		{Floor{"steals", 100}, 2},
		{Floor{"steal-races", 1}, 2},
		{Floor{"parks", 10}, 1},
		{Floor{"wakes", 10}, 1},
	},
	"cancel-race": {
		{Floor{"cancelled-queued", 100}, 1},
		{Floor{"cancelled-running", 100}, 1},
		{Floor{"not-cancelled", 100}, 1},
		{Floor{"steals", 10}, 2},
	},
	"wake-storm":       {{Floor{"polls", 1000}, 1}, {Floor{"parks", 10}, 1}, {Floor{"steals", 10}, 2}},
	"panic":            {{Floor{"unwound", 100}, 1}, {Floor{"parks", 10}, 1}},
	"goexit":           {{Floor{"unwound", 100}, 1}, {Floor{"parks", 10}, 1}},
	"shutdown-race":    {{Floor{"refused", 100}, 1}, {Floor{"abandoned", 100}, 1}, {Floor{"completed", 100}, 1}},
	"nested-wait":      {{Floor{"steals", 10}, 2}, {Floor{"parks", 10}, 1}},
	"lock-across-wait": {{Floor{"steals", 10}, 2}, {Floor{"parks", 10}, 1}},
	"saturation":       {{Floor{"accepted", 100}, 1}, {Floor{"saturated", 100}, 1}, {Floor{"gave-up", 100}, 1}},
	"scope-tree":       {{Floor{"scopes-run", 100}, 1}, {Floor{"scopes-stopped", 100}, 1}},
	"resources":        {{Floor{"closed", 100}, 1}, {Floor{"admissions-refused", 100}, 1}},
	"jobs":             {{Floor{"jobs-refused", 100}, 1}, {Floor{"jobs-cancelled", 100}, 1}, {Floor{"store-failures", 100}, 1}},
	"gate":             {{Floor{"published", 100}, 1}},
	"burst-and-idle":   {{Floor{"parks", 100}, 1}, {Floor{"wakes", 100}, 1}},
	"light-tasks":      {{Floor{"in-place", 10}, 1}, {Floor{"steals", 10}, 2}, {Floor{"parks", 10}, 1}},
	"fork-join":        {{Floor{"steals", 10}, 2}, {Floor{"parks", 10}, 1}},
	injectorDrill: {
		{Floor{"empties", 10}, 1},
		{Floor{"refusals", 10}, 1}, // bounded ones
		{Floor{"batches", 10}, 1},
		{Floor{"near-wrap", 1}, 1},
		{Floor{queues.Advances, 100}, 1},
		{Floor{queues.PinnedAdvances, 1}, 1},
	},
	dequeDrill: {
		{Floor{"steals", 100}, 1},
		{Floor{"steal-races", 1}, 2},
		{Floor{"last-popped", 10}, 1},
		{Floor{"last-stolen", 10}, 1},
		{Floor{"empties", 10}, 1},
		{Floor{"near-wrap", 1}, 1},
		{Floor{queues.Growths, 1}, 1},
	},
}
