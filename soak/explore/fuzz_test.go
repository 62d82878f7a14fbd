package explore

import (
	"slices"
	"strings"
	"testing"

	"github.com/exactlyonce/certify/soak/explore/control"
)

// events are those of steps, as far as a schedule tells.
func events(steps []int) (all []control.Event) {
	for _, thread := range steps {
		all = append(all, control.Event{Thread: int32(thread)})
	}
	return all
}

// most steps of the schedules here.
const mostSteps = 1000

// FuzzSchedule: what is read as a schedule prints as one that is read as the same
// steps and prints the same again; what is not is an error of a line, whatever the
// numbers in it.
func FuzzSchedule(f *testing.F) {
	for _, s := range []string{"a3ba2", "[0]2[+]3[/]", "aA1z999", "aa9223372036854775807", "a18446744073709551617", "a-1", "a0", "[a]", "[", "\x1b[2J", "a1000a1", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, schedule string) {
		steps, err := decode(schedule, mostSteps)
		if err != nil {
			if steps != nil || len(err.Error()) > 1000 || strings.ContainsAny(err.Error(), "\n\x1b") {
				t.Errorf("%d steps and %q", len(steps), err)
			}
			return
		}
		if len(steps) > mostSteps {
			t.Fatalf("%d steps", len(steps))
		}
		for _, thread := range steps {
			if thread < 0 || thread >= control.MaxThreads {
				t.Fatalf("thread %d", thread)
			}
		}
		printed := encode(events(steps))
		again, err := decode(printed, mostSteps)
		if err != nil || !slices.Equal(again, steps) {
			t.Fatalf("%q prints as %q, which is read as %v, %v", schedule, printed, again, err)
		}
		if twice := encode(events(again)); twice != printed {
			t.Errorf("%q prints as %q, and then as %q", schedule, printed, twice)
		}
	})
}

// TestHostileSchedules: a number of steps is no way to take all memory, or all time.
func TestHostileSchedules(t *testing.T) {
	for _, s := range []string{
		"aa9223372036854775807", "a1a9223372036854775807", "a9223372036854775807", "ab9223372036854775806", "aa2147483647",
		"a99999999999999999999999", "a1001", "a1000b", "a0", "3", "[", "[]", "[a]", "[0", "a 2", "ä", "\xff", strings.Repeat("x", 1<<20),
	} {
		if steps, err := decode(s, mostSteps); err == nil || len(err.Error()) > 1000 {
			t.Errorf("%.40q: %d steps, %v", s, len(steps), err)
		}
	}
	if steps, err := decode("a999b", mostSteps); err != nil || len(steps) != mostSteps {
		t.Errorf("all that may be: %d steps, %v", len(steps), err)
	}
}
