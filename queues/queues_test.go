package queues_test

import (
	"testing"

	"github.com/exactlyonce/certify/queues"
)

func TestValidate(t *testing.T) {
	injector := func(queues.Options) queues.Injector[int] { return nil }
	deque := func(queues.Options) queues.Deque[int] { return nil }
	for _, test := range []struct {
		backend queues.Backend[int]
		want    string
	}{
		{queues.Backend[int]{Name: "a", Injector: injector}, ""},
		{queues.Backend[int]{Name: "b", Deque: deque}, ""},
		{queues.Backend[int]{Injector: injector}, "queues: back end without a name"},
		{queues.Backend[int]{Name: "c"}, "queues: back end c: want exactly one of Injector and Deque"},
		{queues.Backend[int]{Name: "d", Injector: injector, Deque: deque}, "queues: back end d: want exactly one of Injector and Deque"},
	} {
		got := ""
		if err := test.backend.Validate(); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("Validate(%s) = %q, want %q", test.backend.Name, got, test.want)
		}
	}
}

// TestNames: each promise has a word of its own for reports.
func TestNames(t *testing.T) {
	for _, names := range [][]string{
		{queues.KindInjector.String(), queues.KindDeque.String()},
		{queues.Unordered.String(), queues.ProducerFIFO.String(), queues.FIFO.String(), queues.OwnerLIFO.String()},
		{queues.Blocking.String(), queues.LockFree.String()},
		{queues.ReclaimGC.String(), queues.ReclaimReuse.String(), queues.ReclaimEpochs.String()},
		{queues.LenQuiescent.String(), queues.LenExact.String()},
	} {
		seen := map[string]bool{"": true}
		for _, name := range names {
			if seen[name] {
				t.Errorf("%q twice, or empty, in %q", name, names)
			}
			seen[name] = true
		}
	}
}
