package rundir

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/exactlyonce/certify/internal/mishap"
)

// roles are what the test binary plays as another process.
var roles = map[string]func(path string) error{
	"hold":   hold,
	"append": appendForever,
}

func TestMain(m *testing.M) {
	mishap.Play(roles)
	os.Exit(m.Run())
}

func hold(path string) error {
	if _, err := Open(path); err != nil {
		return err
	}
	fmt.Println("held")
	_, err := io.Copy(io.Discard, os.Stdin) // until the test is gone
	return err
}

// appendForever goes on where the directory ends, and says which repetition
// is durable.
func appendForever(path string) error {
	d, err := Open(path)
	if err != nil {
		return err
	}
	for rep := len(d.Contents().Records) + 1; ; rep++ {
		if err := d.Append(result(rep)); err != nil {
			return err
		}
		fmt.Println(rep)
	}
}

func TestLock(t *testing.T) {
	d := create(t)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	cmd, out := mishap.Start(t, "hold", d.path)
	if !out.Scan() {
		t.Fatal("the holder died")
	}
	for name, try := range map[string]func() (*Dir, error){
		"open":   func() (*Dir, error) { return Open(d.path) },
		"create": func() (*Dir, error) { return Create(d.path, Origin{Run: "run-2", Plan: plan, Env: env}) },
	} {
		var locked *LockedError
		if _, err := try(); !errors.As(err, &locked) || locked.Path != d.path || locked.PID != cmd.Process.Pid {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if _, err := Read(d.path); err != nil {
		t.Errorf("a reader needs no lock: %v", err)
	}
	mishap.Kill(t, cmd, out)
	again, err := Open(d.path)
	if err != nil {
		t.Fatalf("after kill -9: %v", err)
	}
	defer again.Close()
	// The lock also holds within a process.
	var locked *LockedError
	if _, err := Open(d.path); !errors.As(err, &locked) || locked.PID != os.Getpid() {
		t.Errorf("second Open: got %v", err)
	}
}

func TestLockWithoutPID(t *testing.T) {
	d := create(t)
	defer d.Close()
	for _, text := range []string{"", "x", "99999999999999999999"} {
		if err := os.WriteFile(d.Path(lockFile), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		var locked *LockedError
		if _, err := Open(d.path); !errors.As(err, &locked) || locked.PID != 0 {
			t.Errorf("%q: got %v", text, err)
		}
	}
}

// TestKill kills a writer again and again, at moments of its own choosing.
// Whatever it said was durable is there, once, and at most one record more.
func TestKill(t *testing.T) {
	d := create(t)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	const seed = 1
	random := rand.New(rand.NewPCG(seed, 0))
	said := 0
	for round := range 20 {
		cmd, out := mishap.Start(t, "append", d.path)
		for range 1 + random.IntN(20) {
			if !out.Scan() {
				t.Fatalf("round %d: the writer died", round)
			}
			said = atoi(t, out.Text())
		}
		for _, last := range mishap.Kill(t, cmd, out) {
			said = atoi(t, last)
		}

		c, err := Read(d.path)
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		if n := len(c.Records); n != said && n != said+1 {
			t.Errorf("round %d: %d records, %d said", round, n, said)
		}
		var want []int
		for rep := range c.Records {
			want = append(want, rep+1)
		}
		checkReps(t, c, want...)
	}
	if said < 20 {
		t.Errorf("only %d records: nothing was tried", said)
	}
}

func atoi(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestKillCreate: a directory whose creation was cut short is neither a run
// nor in the way in silence.
func TestKillCreate(t *testing.T) {
	d := create(t)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(d.Path(ResultsFile)); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(d.path); err == nil {
		t.Error("opened")
	}
	if _, err := Create(d.path, Origin{Run: "run-2", Plan: plan, Env: env}); !errors.Is(err, ErrExists) {
		t.Errorf("created: %v", err)
	}
	names, err := filepath.Glob(filepath.Join(d.path, "*"))
	if err != nil || slices.Contains(names, d.Path(ResultsFile)) {
		t.Errorf("left: %v, %v", names, err)
	}
}
