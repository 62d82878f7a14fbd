package filestore

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/executor/jobs"
	"github.com/exactlyonce/certify/internal/mishap"
	"github.com/exactlyonce/certify/internal/stress"
)

// told is what the test knows of all lives of the driver, by id.
type told struct {
	started, cancelled, deleting, deleted map[string]bool
	ended                                 map[string]string // how
	ran                                   map[string]int    // lines in the journal
	renamed                               int
	problems                              []string
}

func newTold() *told {
	set := func() map[string]bool { return map[string]bool{} }
	return &told{started: set(), cancelled: set(), deleting: set(), deleted: set(), ended: map[string]string{}}
}

func (k *told) bad(format string, args ...any) {
	k.problems = append(k.problems, fmt.Sprintf(format, args...))
}

// hear takes in one line of the driver.
func (k *told) hear(t *testing.T, line string) {
	t.Helper()
	f := strings.Fields(line)
	if len(f) < 2 {
		t.Fatalf("the driver said %q", line)
	}
	switch id := f[1]; f[0] {
	case "start":
		k.started[id] = true
	case "cancel":
		k.cancelled[id] = true
	case "delete":
		k.deleting[id] = true
	case "deleted":
		k.deleted[id] = true
	case "renamed":
		k.renamed++
	case "end":
		if was, twice := k.ended[id]; twice {
			k.bad("%s ended as %s and then as %s", id, was, f[2])
		}
		k.ended[id] = f[2]
	}
}

// check holds what is recovered against what was told and what ran.
func (k *told) check(r jobs.Recovery) {
	finished := map[string]jobs.Outcome{}
	there := map[string]string{}
	for _, f := range r.Finished {
		finished[f.ID], there[f.ID] = f.Outcome, "finished"
	}
	for _, id := range r.Interrupted {
		there[id] = "interrupted"
	}
	for _, id := range r.Pending {
		there[id] = "pending"
		if k.ran[id] > 0 {
			k.bad("%s is pending, and its body ran", id)
		}
	}
	for id := range k.started {
		if there[id] == "" && !k.deleting[id] {
			k.bad("%s was started and is lost", id)
		}
	}
	for id, end := range k.ended {
		if o := finished[id]; o.End.String() != end && !k.deleting[id] {
			k.bad("%s ended as %s and is %s, %+v", id, end, there[id], o)
		}
	}
	for id := range k.deleted {
		if there[id] != "" {
			k.bad("%s was deleted and is %s", id, there[id])
		}
	}
	for id, n := range k.ran {
		if n != 1 {
			k.bad("%s ran %d times", id, n)
		}
		if there[id] == "" && !k.deleting[id] {
			k.bad("%s ran and is lost", id)
		}
	}
	k.checkOutcomes(finished)
	for id := range k.cancelled { // a cancel dies with its life
		if there[id] != "finished" {
			delete(k.cancelled, id)
		}
	}
}

func (k *told) checkOutcomes(finished map[string]jobs.Outcome) {
	for id, o := range finished {
		ran := 0
		if o.Began {
			ran = 1
		}
		if k.ran[id] != ran {
			k.bad("%s ran %d times, and its outcome is %+v", id, k.ran[id], o)
		}
		if k.cancelled[id] && o.End != jobs.Cancelled {
			k.bad("%s: a cancel was accepted, and it is %s", id, o.End)
		}
		if o.End == jobs.Completed && !bytes.Equal(o.Output, output(id)) {
			k.bad("%s: output %q", id, o.Output)
		}
		if (o.End == jobs.Failed) != (o.Cause != nil && o.Cause.Error() == errMeant.Error()) {
			k.bad("%s: %s with cause %v", id, o.End, o.Cause)
		}
	}
}

// journal reads which bodies ran.
func (k *told) journal(t *testing.T, path string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(path, "journal"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	k.ran = map[string]int{}
	for _, id := range strings.Fields(string(data)) {
		k.ran[id]++
	}
}

// kills is how many times TestKillV7 kills.
func kills(t *testing.T) int {
	n, err := strconv.Atoi(os.Getenv("CERTIFY_KILLS"))
	switch {
	case err == nil:
		return n
	case os.Getenv("CERTIFY_KILLS") != "":
		t.Fatal(err)
	case testing.Short():
		return 5
	}
	return 20
}

// TestKillV7 kills a process that runs jobs again and again, at random, over
// one store. Nothing it was told is lost, nothing runs twice, and what is
// recovered agrees with what the bodies noted. CERTIFY_KILLS is the number of
// kills, 20 by default.
func TestKillV7(t *testing.T) {
	watchdog(t)
	random := stress.Random(t)
	path := t.TempDir()
	k := newTold()
	var pending, torn int
	var r jobs.Recovery
	n := kills(t)
	for life := range n {
		r = k.round(t, path, life, random)
		for _, p := range k.problems {
			t.Error(p)
		}
		if t.Failed() {
			t.Fatalf("life %d: %s", life, r)
		}
		pending += len(r.Pending)
		torn += min(1, int(r.DroppedB))
	}
	interrupted := len(r.Interrupted) // they stay
	t.Logf("%d kills: told of %d starts, %d ends, %d kept cancels, %d deletions; %d bodies ran; recovered: pending %d, interrupted %d, torn logs %d; %d compactions",
		n, len(k.started), len(k.ended), len(k.cancelled), len(k.deleted), len(k.ran), pending, interrupted, torn, k.renamed-1)
	if n >= 20 && (interrupted == 0 || pending == 0 || len(k.ended) < n || len(k.deleted) == 0 || len(k.cancelled) == 0 || k.renamed < 2) {
		t.Error("too little happened: the kills show nothing")
	}
}

// The same check finds what a faulty driver or store does.
func TestKillFindsFaultsV7(t *testing.T) {
	watchdog(t)
	random := stress.Random(t)
	for _, fault := range []string{faultRerun, faultLate, faultBeginning} {
		t.Setenv(faultEnv, fault)
		path := t.TempDir()
		k := newTold()
		life := 0
		for ; len(k.problems) == 0; life++ { // or the watchdog
			k.round(t, path, life, random)
		}
		t.Logf("%s: %s, after %d kills", fault, k.problems[0], life)
	}
}

// round is one life and what is left of it.
func (k *told) round(t *testing.T, path string, life int, random *rand.Rand) jobs.Recovery {
	t.Helper()
	k.live(t, path, life, random)
	k.journal(t, path)
	r := recoverAll(t, filepath.Join(path, "store"))
	k.check(r)
	return r
}

// live is one life of the driver, up to its death.
func (k *told) live(t *testing.T, path string, life int, random *rand.Rand) {
	t.Helper()
	t.Setenv(lifeEnv, fmt.Sprint("life", life))
	cmd, out := mishap.Start(t, "drive", path)
	for range random.IntN(150) {
		if !out.Scan() {
			t.Fatalf("life %d: the driver ended by itself: %v", life, cmd.Wait())
		}
		k.hear(t, out.Text())
	}
	// Only the moment of death depends on it.
	time.Sleep(time.Duration(random.IntN(3000)) * time.Microsecond)
	for _, line := range mishap.Kill(t, cmd, out) {
		k.hear(t, line)
	}
}

// recoverAll is what a supervisor is told.
func recoverAll(t *testing.T, dir string) jobs.Recovery {
	t.Helper()
	store, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	e, err := executor.New(executor.Config{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	_, recovered, err := jobs.New(e, jobs.Config{Store: store})
	is(t, "new", err, nil)
	is(t, "shut down", e.Shutdown(t.Context()), nil)
	is(t, "close", store.Close(), nil)
	return recovered
}
