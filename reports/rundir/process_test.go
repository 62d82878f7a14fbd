package rundir

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
)

// The test binary plays the other process when roleEnv is set. It talks in
// lines on its standard output.
const (
	roleEnv = "RUNDIR_TEST_ROLE"
	pathEnv = "RUNDIR_TEST_PATH"
)

var roles = map[string]func(path string) error{
	"hold":   hold,
	"append": appendForever,
}

func TestMain(m *testing.M) {
	role, ok := roles[os.Getenv(roleEnv)]
	if !ok {
		os.Exit(m.Run())
	}
	if err := role(os.Getenv(pathEnv)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// other starts the test binary in a role, and is killed with the test.
func other(t *testing.T, role, path string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), roleEnv+"="+role, pathEnv+"="+path)
	cmd.Stderr = os.Stderr
	_, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	return cmd, bufio.NewScanner(out)
}

// kill is kill -9, and waits until the kernel is done with the process.
func kill(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil {
		t.Fatal("ended well in spite of kill -9")
	}
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
	cmd, out := other(t, "hold", d.path)
	if !out.Scan() {
		t.Fatal("the holder died")
	}
	for name, try := range map[string]func() (*Dir, error){
		"open":   func() (*Dir, error) { return Open(d.path) },
		"create": func() (*Dir, error) { return Create(d.path, "run-2", plan, env) },
	} {
		var locked *LockedError
		if _, err := try(); !errors.As(err, &locked) || locked.Path != d.path || locked.PID != cmd.Process.Pid {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if _, err := Read(d.path); err != nil {
		t.Errorf("a reader needs no lock: %v", err)
	}
	kill(t, cmd)
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
		cmd, out := other(t, "append", d.path)
		for range 1 + random.IntN(20) {
			if !out.Scan() {
				t.Fatalf("round %d: the writer died", round)
			}
			said = atoi(t, out.Text())
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for out.Scan() { // what it still said before it died
			said = atoi(t, out.Text())
		}
		cmd.Wait()

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
	if err := os.Remove(d.Path(resultsFile)); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(d.path); err == nil {
		t.Error("opened")
	}
	if _, err := Create(d.path, "run-2", plan, env); !errors.Is(err, ErrExists) {
		t.Errorf("created: %v", err)
	}
	names, err := filepath.Glob(filepath.Join(d.path, "*"))
	if err != nil || slices.Contains(names, d.Path(resultsFile)) {
		t.Errorf("left: %v, %v", names, err)
	}
}
