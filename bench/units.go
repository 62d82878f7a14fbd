package bench

import "fmt"

// The units of metrics, each in ns, in B or a count, since the benchmark format
// scales no other.
const (
	unitTime   = "ns/op"
	unitCPU    = "cpu-ns/op"
	unitBytes  = "B/op"
	unitAllocs = "allocs/op"

	unitTaskTime = "ns/task"
	unitMisses   = "misses/op"
	unitRefusals = "refusals/op"
	unitRetries  = "retries/op"
	unitWakes    = "wakes/task"
	unitTaskB    = "B/task"
	unitIdle     = "idle-cpu-ns/s"
	unitP50      = "p50-ns"
	unitP90      = "p90-ns"
	unitP99      = "p99-ns"
	unitP999     = "p99.9-ns"
	unitMax      = "max-ns"
)

// Unit says of a unit which direction is better. Lines of it belong at the top
// of a benchmark file, since readers know only ns/op, B/op and allocs/op.
type Unit struct {
	Name   string
	Better string // "lower" or "higher"
	About  string // one line
}

// String is the line of the benchmark format.
func (u Unit) String() string { return fmt.Sprintf("Unit %s better=%s", u.Name, u.Better) }

// Units returns what is to be known of every unit that an [Arm] or [Measure]
// reports, but for those that the benchmark format itself knows.
func Units() []Unit {
	return []Unit{
		{unitCPU, "lower", "processor time of the whole process"},
		{unitTaskTime, "lower", "time by the number of tasks in the problem"},
		{unitMisses, "lower", "times that a consumer or thief found nothing"},
		{unitRefusals, "lower", "times that a producer had to make way"},
		{unitRetries, "lower", "steals that lost a race"},
		{unitWakes, "lower", "workers woken"},
		{unitTaskB, "lower", "memory that a waiting task takes, stacks included"},
		{unitIdle, "lower", "processor time of a second without tasks"},
		{unitP50, "lower", "from the intended start to the end"},
		{unitP90, "lower", "from the intended start to the end"},
		{unitP99, "lower", "from the intended start to the end"},
		{unitP999, "lower", "from the intended start to the end"},
		{unitMax, "lower", "from the intended start to the end"},
	}
}
