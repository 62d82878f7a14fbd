package table

// row is a work in one unit.
type row struct {
	title  string
	prefix string // of the work's name
	unit   string
	ours   string // the form of ours that is compared
	format func(float64) string
}

// rows are what the table has, in order. Of a work that was not measured there is none.
var rows = []row{
	{"empty task from outside, 1 submitter: CPU a task", "Submit/submitters=1", "cpu-ns/op", "certify", nanoseconds},
	{"the same: wall time a task", "Submit/submitters=1", "ns/op", "certify", nanoseconds},
	{"the same: allocations a task", "Submit/submitters=1", "allocs/op", "certify", count},
	{"the same: bytes allocated a task", "Submit/submitters=1", "B/op", "certify", byteCount},
	{"the same, saturated: workers woken a task", "Submit/submitters=1", "wakes/task", "certify", count},
	{"empty task from outside, 2 submitters: CPU a task", "Submit/submitters=2", "cpu-ns/op", "certify", nanoseconds},
	{"the same: wall time a task", "Submit/submitters=2", "ns/op", "certify", nanoseconds},
	{"empty task from inside a task: CPU a task", "Inside", "cpu-ns/op", "certify", nanoseconds},
	{"the same: wall time a task", "Inside", "ns/op", "certify", nanoseconds},
	{"a batch of empty tasks from outside: wall time of all", "Million", "ns/op", "certify", nanoseconds},
	{"the same: wall time a task", "Million", "ns/task", "certify", nanoseconds},
	{"ten times as many: wall time a task", "TenMillion", "ns/task", "certify", nanoseconds},
	{"ten times as many: CPU a task over that of the batch", "TenMillion", growth, "certify", times},
	{"fib without cut-off: wall time a fork", "Fib", "ns/task", "certify", nanoseconds},
	{"chain, each task gives the next: CPU a task", "Chain", "cpu-ns/op", "certify", nanoseconds},
	{"the same: wall time a task", "Chain", "ns/op", "certify", nanoseconds},
	{"the same: workers woken a task", "Chain", "wakes/task", "certify", count},
	{"tasks of 10 us: wall time a task", "Busy", "ns/op", "certify", nanoseconds},
	{"the same: CPU a task", "Busy", "cpu-ns/op", "certify", nanoseconds},
	{"from submit to run on an idle pool: p50", "Latency", "p50-ns", "certify", nanoseconds},
	{"the same: p90", "Latency", "p90-ns", "certify", nanoseconds},
	{"memory a queued task, beside the pool's own", "Queued", "B/task", "certify", byteCount},
	{"the same, with what the pool takes for having room", "Queued", "room-B/task", "certify", byteCount},
	{"idle: CPU a second", "Idle", "idle-cpu-ns/s", "certify", nanoseconds},
	{"deque alone, owner: push and pop", "Own", "cpu-ns/op", "certify.claim", nanoseconds},
	{"injector alone, one goroutine: push and pop", "Solo", "cpu-ns/op", "certify.sharded", nanoseconds},
	{"injector, one pushes and one pops: wall time an item", "Pair", "ns/op", "certify.sharded", nanoseconds},
}

// growth is the unit of a row that is made of two works.
const growth = "cpu-ns/task at ten times as many"

// addGrowth makes the values of growth: the processor time of a task in the largest
// batch, over the median of that in the smaller one.
func (m *measured) addGrowth() {
	for _, large := range m.family("TenMillion") {
		for _, small := range m.family("Million") {
			for _, a := range m.works[large] {
				b := m.find(small, a.pool)
				if b == nil {
					continue
				}
				base, ok := b.median("cpu-ns/op")
				if !ok || base == 0 {
					continue
				}
				for _, v := range a.values["cpu-ns/op"] {
					a.values[growth] = append(a.values[growth], v/10/base)
				}
			}
		}
	}
}
