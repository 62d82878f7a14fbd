package soak

import (
	"math"
	"runtime"

	"github.com/exactlyonce/certify/reports/record"
	"github.com/exactlyonce/certify/reports/trend"
)

// growth is what is live between batches, when all that was given has ended and
// garbage was collected: some readings over a repetition. What a drill keeps for
// itself it makes before its first batch, so a rise is the subject's.
type growth struct {
	tasks, liveB []float64
}

// growthReadings is how many there are in a repetition, unless it has fewer
// batches. Each is two collections.
const growthReadings = 12

// readGrowth takes a reading before the batch that begins with task base, if it is time
// for one.
func (t *trial) readGrowth(base int) {
	if t.alone && base*growthReadings >= len(t.growth.tasks)*t.spec.Tasks {
		t.growth.tasks = append(t.growth.tasks, float64(base))
		t.growth.liveB = append(t.growth.liveB, float64(liveHeap()))
	}
}

// readDrained takes what is on the heap when the last task has ended, garbage
// and all: what a collector has to do with once the work is over.
func (t *trial) readDrained() {
	if !t.alone {
		return
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	t.value("drained-B", float64(m.HeapAlloc))
}

// growthWarm readings are left out: what is made once and kept is made then.
const growthWarm = 3

// checkGrowth judges the readings. A certain rise of more than leftMax over the
// repetition is a leak, also of what Close would let go of.
func (t *trial) checkGrowth() {
	if len(t.growth.tasks) <= growthWarm+2 {
		return
	}
	tasks, live := t.growth.tasks[growthWarm:], t.growth.liveB[growthWarm:]
	g, err := trend.Judge(tasks, live, leftMax)
	if err != nil {
		return // byte counts are finite
	}
	t.value("growth-B/task", g.Slope)
	if !math.IsInf(g.Low, 0) && !math.IsInf(g.High, 0) { // there is an interval
		t.value("growth-low-B/task", g.Low)
		t.value("growth-high-B/task", g.High)
	}
	if g.Grows {
		t.found.add(record.Memory, "what is live between batches grows by %.4g bytes a task (at 95 %%: %.4g to %.4g), %.0f bytes since task %.0f",
			g.Slope, g.Low, g.High, g.Grown, tasks[0])
	}
}
