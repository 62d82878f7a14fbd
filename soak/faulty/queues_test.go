package faulty_test

import (
	"testing"

	"github.com/exactlyonce/certify/queues"
	"github.com/exactlyonce/certify/queues/queuetest"
	"github.com/exactlyonce/certify/soak/faulty"
	"github.com/exactlyonce/certify/soak/faulty/flawed"
)

// The controls keep every law but that on memory, so that what their faulty kin are
// caught by is the fault. Slots and the first node keep what was taken from them: to
// clear them takes more than the textbooks have.
func TestControlsPass(t *testing.T) {
	for _, b := range []queues.Backend[*queuetest.Item]{flawed.Textbook[queuetest.Item](), flawed.Linked[queuetest.Item]()} {
		for _, v := range queuetest.Check(b, queuetest.Config{Items: 4000, Burst: 20_000}).Violations {
			if v.Law != "retention" {
				t.Error(v)
			}
		}
	}
}

// TestNames: each has one, and says what it does wrong and why it may be caught.
func TestNames(t *testing.T) {
	seen := map[string]bool{}
	check := func(name, fault string, killers int, err error) {
		if seen[name] || fault == "" || killers == 0 || err != nil {
			t.Errorf("%s: there twice, %q, %d killers, %v", name, fault, killers, err)
		}
		seen[name] = true
	}
	for _, q := range append(flawed.Deques[queuetest.Item](), flawed.Injectors[queuetest.Item]()...) {
		check(q.Name, q.Fault, len(q.Killers), q.Validate())
	}
	for _, q := range flawed.Equivalent[queuetest.Item]() {
		check(q.Name, q.Fault, 1, q.Validate())
		if len(q.Killers) > 0 {
			t.Errorf("%s: %v cannot show it", q.Name, q.Killers)
		}
	}
	for _, c := range faulty.Executors() {
		check(c.Name, c.Fault, len(c.Killers), nil)
	}
	if d, i, e := len(flawed.Deques[int]()), len(flawed.Injectors[int]()), len(faulty.Executors()); d < 10 || i < 6 || e < 10 {
		t.Errorf("%d deques, %d injectors, %d executors", d, i, e)
	}
}
