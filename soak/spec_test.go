package soak_test

import (
	"strings"
	"testing"
	"time"

	"github.com/exactlyonce/certify/soak"
)

// What makes no sense is an error that names the value, and what there is.
func TestSpecErrors(t *testing.T) {
	for _, test := range []struct {
		spec soak.Spec
		want []string
	}{
		{soak.Spec{Tasks: -1}, []string{"tasks -1"}},
		{soak.Spec{Batch: -7}, []string{"batch -7"}},
		{soak.Spec{Workers: -2}, []string{"workers -2"}},
		{soak.Spec{Stall: -time.Second}, []string{"stall -1s"}},
		{soak.Spec{Drill: "root canal"}, []string{`"root canal"`, soak.ExactlyOnce}},
		{soak.Spec{Fault: "none"}, []string{`"none"`, "kill", "stall", "duplicate", "lose"}},
	} {
		_, err := test.spec.Resolve()
		if err == nil {
			t.Errorf("%+v: no error", test.spec)
			continue
		}
		for _, want := range append(test.want, "soak: ") {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%+v: got %v, want %q in it", test.spec, err, want)
			}
		}
	}
}

func TestSpecResolve(t *testing.T) {
	zero, err := soak.Spec{}.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	if zero.Drill != soak.ExactlyOnce || zero.Tasks < 1 || zero.Batch != soak.DefaultBatch || zero.Stall <= 0 || zero.Workers != 0 {
		t.Errorf("got %+v", zero)
	}
	if again, err := zero.Resolve(); err != nil || again != zero {
		t.Errorf("resolved twice: %+v, %v", again, err)
	}
	for _, test := range []struct{ tasks, batch, wantBatch, batches int }{
		{1, 0, 1, 1}, {1, 5, 1, 1}, {4096, 0, 4096, 1}, {4097, 0, 4096, 2}, {100, 7, 7, 15}, {98, 7, 7, 14}, {soak.CardTasks, 0, 4096, 245},
	} {
		spec, err := soak.Spec{Tasks: test.tasks, Batch: test.batch}.Resolve()
		if err != nil || spec.Batch != test.wantBatch || spec.Batches() != test.batches {
			t.Errorf("%+v: got batch %d, %d batches, %v", test, spec.Batch, spec.Batches(), err)
		}
	}
	small, large := soak.Spec{Tasks: 1, Batch: 1}, soak.Spec{Tasks: soak.CardTasks, Batch: soak.DefaultBatch, Workers: 8}
	if s, l := small.FootprintB(), large.FootprintB(); s <= 0 || l < soak.CardTasks/8 || l <= s {
		t.Errorf("footprints %v and %v", s, l)
	}
}

func TestSubjectNames(t *testing.T) {
	for _, name := range []soak.SubjectName{
		{Kind: soak.GoroutinesName},
		{Kind: soak.WorkStealingName, Injector: "msqueue", Deque: "chaselev"},
		{Kind: soak.WorkStealingName, Injector: "mutex", Deque: "mutex"},
	} {
		e, err := name.Make(nil)
		if err != nil || e.Name != name.Kind || e.About == "" || e.New == nil || len(name.Params()) == 0 {
			t.Errorf("%+v: %+v, %v", name, e, err)
		}
	}
	for _, test := range []struct {
		name soak.SubjectName
		want []string
	}{
		{soak.SubjectName{}, []string{`""`, soak.WorkStealingName, soak.GoroutinesName}},
		{soak.SubjectName{Kind: "threads"}, []string{`"threads"`, soak.WorkStealingName}},
		{soak.SubjectName{Kind: soak.WorkStealingName, Injector: "x", Deque: "chaselev"}, []string{`"x"`, "msqueue"}},
		{soak.SubjectName{Kind: soak.WorkStealingName, Injector: "msqueue", Deque: "msqueue"}, []string{"msqueue", "chaselev"}},
	} {
		_, err := test.name.Make(nil)
		if err == nil {
			t.Errorf("%+v: no error", test.name)
			continue
		}
		for _, want := range test.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%+v: got %v, want %s in it", test.name, err, want)
			}
		}
	}
}
