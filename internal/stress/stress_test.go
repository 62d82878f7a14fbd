package stress

import (
	"flag"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// fake is a test that a test of this package ends, well or not.
type fake struct {
	testing.TB
	name     string
	failed   bool
	cleanups []func()
	logs     []string
}

func (f *fake) Helper()           {}
func (f *fake) Name() string      { return f.name }
func (f *fake) Failed() bool      { return f.failed }
func (f *fake) Log(args ...any)   { f.logs = append(f.logs, fmt.Sprint(args...)) }
func (f *fake) Cleanup(fn func()) { f.cleanups = append(f.cleanups, fn) }

func (f *fake) end(failed bool) {
	f.failed = failed
	for _, fn := range slices.Backward(f.cleanups) {
		fn()
	}
}

// set gives a flag a value for the length of a test.
func set(t *testing.T, name, value string) {
	t.Helper()
	f := flag.Lookup(name)
	was := f.Value.String()
	if err := f.Value.Set(value); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Value.Set(was) })
}

// What a failed test logs repeats it, and a good one logs nothing.
func TestSeed(t *testing.T) {
	set(t, "seed", "0")
	good := &fake{name: "TestGood"}
	if Seed(good) == 0 {
		t.Error("a seed of 0, which the flag takes for none")
	}
	good.end(false)
	if len(good.logs) != 0 {
		t.Errorf("a good test logs %q", good.logs)
	}
	bad := &fake{name: "TestBad/of=2+2/b"}
	n := Seed(bad)
	bad.end(true)
	want := regexp.MustCompile(`^repeat: go test (-race )?-run '\^TestBad\$/\^of=2\\\+2\$/\^b\$' ./internal/stress -seed (\d+)$`)
	if len(bad.logs) != 1 || !want.MatchString(bad.logs[0]) || !strings.HasSuffix(bad.logs[0], fmt.Sprint(" ", n)) {
		t.Errorf("with seed %d a bad test logs %q", n, bad.logs)
	}
}

func TestSeedOfTheFlag(t *testing.T) {
	set(t, "seed", "7")
	if n := Seed(&fake{}); n != 7 {
		t.Errorf("-seed 7: got %d", n)
	}
	first, again := Random(&fake{}).Uint64(), Random(&fake{}).Uint64()
	if first != again {
		t.Errorf("-seed 7: got %d and then %d", first, again)
	}
	set(t, "seed", "8")
	if other := Random(&fake{}).Uint64(); other == first {
		t.Errorf("-seed 7 and -seed 8: got %d twice", other)
	}
}

func TestRounds(t *testing.T) {
	for _, row := range []struct {
		short   string
		n, want int
	}{
		{"false", 200, 200}, {"false", 1, 1},
		{"true", 200, 20}, {"true", 9, 1}, {"true", 1, 1},
	} {
		set(t, "test.short", row.short)
		if got := Rounds(row.n); got != row.want {
			t.Errorf("short=%s: %d rounds of %d, want %d", row.short, got, row.n, row.want)
		}
	}
}

func TestUntil(t *testing.T) {
	asked := 0
	Until(func() bool { asked++; return asked == 3 })
	if asked != 3 {
		t.Errorf("asked %d times, want 3", asked)
	}
}

// A watchdog barks at a test that is late, and at no other.
func TestWatchdog(t *testing.T) {
	var late []string // by the timers' goroutines, one after the other
	was := hangs
	hangs = func(test string) { late = append(late, test) }
	t.Cleanup(func() { hangs = was })
	synctest.Test(t, func(t *testing.T) {
		hung, patient, ended := &fake{name: "hung"}, &fake{name: "patient"}, &fake{name: "ended"}
		Watchdog(hung)
		WatchdogAfter(patient, time.Hour)
		Watchdog(ended)
		time.Sleep(time.Minute)
		ended.end(false)
		time.Sleep(2 * time.Minute)
		patient.end(false)
		time.Sleep(2 * time.Hour)
		synctest.Wait()
	})
	if !slices.Equal(late, []string{"hung"}) {
		t.Errorf("barked at %q, want only the one that hung", late)
	}
}

// The bark names the test.
func TestHangs(t *testing.T) {
	defer func() {
		if v := recover(); v != "a test hangs: TestX" {
			t.Errorf("panic of %v", v)
		}
	}()
	hangs("TestX")
}
