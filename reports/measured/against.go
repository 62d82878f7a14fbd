package measured

import (
	"slices"
	"strconv"
	"strings"

	"github.com/exactlyonce/certify/reports"
	"github.com/exactlyonce/certify/reports/compare"
)

// mutex is the back end that others are compared with: the simplest one.
const mutex = "mutex"

// judgedUnits are those of a comparison of back ends.
const judgedUnits = ".unit:(sec/op OR sec/task OR B/op OR allocs/op OR B/task OR p50-sec OR p99-sec)"

// againstMutex compares queues with that of a mutex, and pools with that of two.
func againstMutex(in Input, families []*family) (blocks []reports.Block, err error) {
	for _, keys := range [][]string{{"queue"}, {"injector", "deque"}} {
		var cols []string
		for _, key := range keys {
			values := valuesOf(families, key)
			if !slices.Contains(values, strconv.Quote(mutex)) {
				break
			}
			cols = append(cols, "/"+key+"@("+strings.Join(values, " ")+")")
		}
		if len(cols) < len(keys) {
			continue
		}
		res, err := compare.Compare(compare.Options{Ignore: perBuild, Col: strings.Join(cols, ","), Filter: judgedUnits + " -.name:" + soak}, in.Benchmarks...)
		if err != nil {
			continue // none of these units
		}
		blocks = append(blocks, reports.Compared(res, strings.Join(keys, "/"))...)
	}
	if len(blocks) > 0 {
		blocks = append([]reports.Block{reports.Text("certify bench measures its arms in turns, so that whatever the machine did meanwhile, it did to all of them. Of files by others, look how they were measured.")}, blocks...)
	}
	return blocks, nil
}

// valuesOf are those of a key, quoted, mutex first: the first is the base.
func valuesOf(families []*family, key string) (values []string) {
	for _, f := range families {
		for _, c := range f.cases {
			for _, p := range c.params {
				if v := strconv.Quote(p.value); p.name == key && !slices.Contains(values, v) {
					values = append(values, v)
				}
			}
		}
	}
	if at := slices.Index(values, strconv.Quote(mutex)); at > 0 {
		values = slices.Insert(slices.Delete(values, at, at+1), 0, strconv.Quote(mutex))
	}
	return values
}

// againstBefore compares all that is known of this run with an earlier one.
func againstBefore(in Input, _ []*family) ([]reports.Block, error) {
	if len(in.Before) == 0 {
		return nil, nil
	}
	sets := slices.Concat(in.Before, in.Benchmarks, in.Repetitions)
	res, err := compare.Compare(compare.Options{Ignore: perBuild}, sets...)
	if err != nil {
		return nil, err
	}
	about := reports.Text("What was measured in an earlier run, and now. The two did not run in turns: a difference may be that of the machine at two times. The same binary measured twice in a row has differed by 8 % with p = 0.007.")
	return append([]reports.Block{about}, reports.Compared(directed(res), "run")...), nil
}

// directed leaves out the units of which it is not known what is better: counts
// of what a run happened to exercise.
func directed(res *compare.Result) *compare.Result {
	res.Tables = slices.DeleteFunc(res.Tables, func(t *compare.Table) bool { return t.Better == 0 })
	return res
}
