package reports

import (
	"bytes"
	"slices"

	"github.com/exactlyonce/certify/reports/compare"
	"github.com/exactlyonce/certify/reports/record"
)

// baselineName is the back end that others are compared with: the simplest one.
const baselineName = "mutex"

func isBaseline(k record.Key) bool {
	return param(k, "injector") == baselineName && param(k, "deque") == baselineName
}

// baseline compares pairs of an injector and a deque with that of two mutexes, as
// far as a run has both under the same drill, workers, tasks and mode.
func baseline(r *Run) []Block {
	records := besideBaseline(r)
	if len(records) == 0 {
		return nil
	}
	res, err := comparePairs(records)
	if err != nil {
		return []Block{Text("No comparison: " + err.Error())}
	}
	about := "Each pair of an injector and a deque against the pair of two mutexes, in benchstat's numbers. task-sec is the time of the drill a task, sec/op that of the whole process, peak-B its resident memory at the peak; of clean repetitions. "
	if interleaved(r.Records) {
		about += "The repetitions were interleaved: whatever the machine did meanwhile, it did to all of them."
	} else {
		about += "The repetitions were not interleaved: a difference may be what the machine did at that time."
	}
	return append([]Block{Text(about)}, Compared(res, "injector/deque")...)
}

// besideBaseline are the clean records of what can be compared, those of the
// baseline first: who compares columns takes the first for the base.
func besideBaseline(r *Run) (records []record.Record) {
	var bases, others []Group
	for _, g := range r.Groups {
		if isBaseline(g.Key) {
			bases = append(bases, g)
		} else if param(g.Key, "injector") != "" && param(g.Key, "deque") != "" {
			others = append(others, g)
		}
	}
	compared := map[string]bool{}
	for _, g := range others {
		compared[setting(g.Key)] = g.Clean > 0 || compared[setting(g.Key)]
	}
	have := map[string]bool{}
	for _, g := range bases {
		if at := setting(g.Key); compared[at] && g.Clean > 0 {
			have[at], records = true, append(records, g.clean()...)
		}
	}
	for _, g := range others {
		if have[setting(g.Key)] {
			records = append(records, g.clean()...)
		}
	}
	return records
}

// setting is a key but for its pair.
func setting(k record.Key) string {
	k.Params = slices.DeleteFunc(slices.Clone(k.Params), func(p record.Param) bool { return p.Name == "injector" || p.Name == "deque" })
	return k.String()
}

func (g Group) clean() (all []record.Record) {
	for _, r := range g.Records {
		if r.Verdict == record.Certified {
			all = append(all, r)
		}
	}
	return all
}

func comparePairs(records []record.Record) (*compare.Result, error) {
	var text bytes.Buffer
	if err := record.WriteBench(&text, nil, records); err != nil {
		return nil, err
	}
	set, err := compare.Read("the run", &text)
	if err != nil {
		return nil, err
	}
	return compare.Compare(compare.Options{Col: "/injector,/deque", Filter: ".unit:(task-sec OR sec/op OR peak-B)"}, set)
}

// interleaved tells whether records of one key rarely follow each other, where
// there are several keys.
func interleaved(records []record.Record) bool {
	same, keys := 0, map[string]bool{}
	for i, r := range records {
		keys[r.Key.String()] = true
		if i > 0 && records[i-1].Key.String() == r.Key.String() {
			same++
		}
	}
	return len(keys) < 2 || 4*same < len(records)
}
