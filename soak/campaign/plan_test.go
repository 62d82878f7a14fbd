package campaign

import (
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/exactlyonce/certify/reports/record"
	"github.com/exactlyonce/certify/soak"
)

func goroutines(workers, tasks int) Cell {
	return Cell{Drill: soak.ExactlyOnce, Subject: soak.SubjectName{Kind: soak.GoroutinesName}, Workers: workers, Tasks: tasks, Batch: min(tasks, 64)}
}

func workStealing(injector, deque string) Cell {
	c := goroutines(2, 1000)
	c.Subject = soak.SubjectName{Kind: soak.WorkStealingName, Injector: injector, Deque: deque}
	return c
}

func plan(reps int, cells ...Cell) Plan {
	return Plan{
		Schema: PlanSchema, Cells: cells, First: 1, Reps: reps, Seed: 42,
		Stall: time.Minute, Deadline: time.Minute, CeilingB: 1 << 30, LowWaterB: 1,
	}
}

func TestEncode(t *testing.T) {
	p := plan(3, goroutines(2, 1000), workStealing("msqueue", "chaselev"))
	p.Race, p.KeepGoing, p.Seed, p.Fault = true, true, 1<<64-1, &Fault{"kill", 2}
	data, err := p.Encode()
	if err != nil {
		t.Fatal(err)
	}
	got, err := DecodePlan(data)
	if err != nil || !reflect.DeepEqual(got, p) {
		t.Errorf("got %+v, %v, want %+v", got, err, p)
	}
	again, err := got.Encode()
	if err != nil || string(again) != string(data) {
		t.Errorf("encoded again: %s, %v", again, err)
	}
	if !strings.Contains(string(data), `"seed": "18446744073709551615"`) {
		t.Errorf("a seed must be a text, for those who keep 53 bits of a number: %s", data)
	}
	for name, text := range map[string]string{
		"torn":   string(data[:len(data)/2]),
		"empty":  "",
		"schema": strings.Replace(string(data), PlanSchema, "certify/plan/2", 1),
		"cells":  strings.Replace(string(data), `"reps": 3`, `"reps": 0`, 1),
	} {
		if _, err := DecodePlan([]byte(text)); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestValidate(t *testing.T) {
	if err := plan(1, goroutines(0, 1)).Validate(); err != nil {
		t.Error(err)
	}
	for want, change := range map[string]func(*Plan){
		"nothing to repeat":  func(p *Plan) { p.Cells = nil },
		"first repetition 0": func(p *Plan) { p.First = 0 },
		"reps 0":             func(p *Plan) { p.Reps = 0 },
		"at most":            func(p *Plan) { p.Reps = MaxReps + 1 },
		"at most ":           func(p *Plan) { p.First = math.MaxInt },
		"negative":           func(p *Plan) { p.Deadline = -1 },
		"negative limit":     func(p *Plan) { p.CeilingB = -1 },
		"stall":              func(p *Plan) { p.Stall = -1 },
		"drill":              func(p *Plan) { p.Cells[0].Drill = "nope" },
		"executor":           func(p *Plan) { p.Cells[0].Subject.Kind = "nope" },
		"deque":              func(p *Plan) { p.Cells[1].Subject.Deque = "nope" },
		"tasks -1":           func(p *Plan) { p.Cells[0].Tasks = -1 },
		"workers -1":         func(p *Plan) { p.Cells[0].Workers = -1 },
		"is there twice":     func(p *Plan) { p.Cells = append(p.Cells, p.Cells[0]) },
		"no fault":           func(p *Plan) { p.Fault = &Fault{"nope", 2} },
		"there are only":     func(p *Plan) { p.Fault = &Fault{"kill", 4} },
		"fault duplicate":    func(p *Plan) { p.Fault, p.Cells[1].Drill = &Fault{"duplicate", 2}, "churn" },
	} {
		p := plan(3, goroutines(2, 1000), workStealing("mutex", "mutex"))
		change(&p)
		if err := p.Validate(); err == nil || !strings.Contains(err.Error(), strings.TrimSpace(want)) {
			t.Errorf("%s: got %v", want, err)
		}
	}
}

func TestParseFault(t *testing.T) {
	for text, want := range map[string]*Fault{
		"kill": {"kill", 1}, "kill@1": {"kill", 1}, "stall@12": {"stall", 12},
		"kill@0": nil, "kill@-1": nil, "kill@": nil, "kill@x": nil, "kill@1@2": nil,
	} {
		got, err := ParseFault(text)
		if (err == nil) != (want != nil) || want != nil && *got != *want {
			t.Errorf("%s: got %v, %v, want %v", text, got, err, want)
		}
	}
}

// TestSeeds: a repetition's seed depends on the plan's, on what is repeated
// and on its number, and on nothing else: not on how many there are, nor on
// the machine. The constant keeps it the same from version to version.
func TestSeeds(t *testing.T) {
	p := plan(50, goroutines(2, 1000), goroutines(3, 1000), workStealing("msqueue", "chaselev"))
	seen := map[uint64]string{}
	for _, c := range p.Cells {
		for rep := 1; rep <= p.Reps; rep++ {
			seed := p.spec(c, rep).Seed
			if was, ok := seen[seed]; ok {
				t.Errorf("%s repetition %d has the seed of %s", p.Key(c), rep, was)
			}
			seen[seed] = p.Key(c).String()
			alone := plan(1, c)
			alone.First, alone.KeepGoing, alone.Stall = rep, true, time.Hour
			if got := alone.spec(c, rep).Seed; got != seed {
				t.Errorf("%s repetition %d alone: seed %d, want %d", p.Key(c), rep, got, seed)
			}
		}
	}
	other := p
	other.Seed++
	if p.spec(p.Cells[0], 1).Seed == other.spec(p.Cells[0], 1).Seed {
		t.Error("another seed of the plan makes no other seeds")
	}
	if got := p.spec(p.Cells[0], 1).Seed; got != 10500920490225685055 {
		t.Errorf("seed %d: what was printed by an older version repeats nothing any more", got)
	}
}

func TestFaultStrikesOnce(t *testing.T) {
	p := plan(3, goroutines(2, 1000))
	p.Fault = &Fault{"kill", 2}
	for rep, want := range map[int]string{1: "", 2: "kill", 3: ""} {
		if got := p.spec(p.Cells[0], rep).Fault; got != want {
			t.Errorf("repetition %d: fault %q, want %q", rep, got, want)
		}
	}
}

func TestRepeat(t *testing.T) {
	p := plan(3, workStealing("msqueue", "chaselev"))
	p.Race, p.CeilingB, p.Fault = true, 1000, &Fault{"kill", 2}
	want := "certify soak --drill exactly-once --executor workstealing --injector msqueue --deque chaselev" +
		" --workers 2 --tasks 1000 --batch 64 --seed 42 --rep 2 --race=true" +
		" --stall 1m0s --deadline 1m0s --memory 1000B --low-water 1B --fault kill@2"
	if got := p.repeat(p.Cells[0], 2); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	p.Race, p.CeilingB = false, 3<<20
	want = "certify soak --drill exactly-once --executor goroutines" +
		" --workers 2 --tasks 9 --batch 9 --seed 42 --rep 1 --race=false" +
		" --stall 1m0s --deadline 1m0s --memory 3MiB --low-water 1B"
	if got := p.repeat(goroutines(2, 9), 1); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestFinished(t *testing.T) {
	p := plan(2, goroutines(2, 9))
	clean, lost := record.Record{Verdict: record.Certified}, record.Record{Verdict: record.Failed, Reason: record.Lost}
	guard := record.Record{Verdict: record.Inconclusive, Reason: record.Guard}
	for _, row := range []struct {
		records   []record.Record
		keepGoing bool
		want      bool
	}{
		{nil, false, false}, {[]record.Record{clean}, false, false}, {[]record.Record{clean, clean}, false, true},
		{[]record.Record{lost}, false, true}, {[]record.Record{lost}, true, false}, {[]record.Record{lost, lost}, true, true},
		{[]record.Record{guard}, false, true}, {[]record.Record{guard}, true, true},
	} {
		p.KeepGoing = row.keepGoing
		if got := p.Finished(row.records); got != row.want {
			t.Errorf("%v, keep going %t: got %t", row.records, row.keepGoing, got)
		}
	}
}
