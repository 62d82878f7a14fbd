package guard

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime/debug"
	"slices"
	"strconv"
	"syscall"
	"testing"
)

// The test binary plays other processes when roleEnv is set: it reports in
// lines on its standard output, and ends when its standard input does.
const roleEnv = "GUARD_TEST_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(roleEnv) {
	case "":
		os.Exit(m.Run())
	case "peak":
		fmt.Println(SelfPeak())
	case "big":
		ballast := touched(64 << 20)
		fmt.Println("ready")
		io.Copy(io.Discard, os.Stdin)
		ballast[0] = 1
	case "family":
		family()
	}
	os.Exit(0)
}

// touched is memory that is resident.
func touched(n int) []byte {
	b := make([]byte, n)
	for i := 0; i < n; i += 4096 {
		b[i] = 1
	}
	return b
}

// family starts a process in a session of its own.
func family() {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), roleEnv+"=big")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Stdin = os.Stdin
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err == nil {
		_, err = bufio.NewReader(out).ReadString('\n')
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(cmd.Process.Pid)
	cmd.Wait()
}

// play starts a role in a group of its own, and returns the first line it
// says.
func play(t *testing.T, role string) (pid int, line string) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), roleEnv+"="+role)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	stdin, err := cmd.StdinPipe()
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
	t.Cleanup(func() {
		stdin.Close()
		cmd.Wait()
	})
	scanner := bufio.NewScanner(out)
	scanner.Scan()
	return cmd.Process.Pid, scanner.Text()
}

func TestTreeReal(t *testing.T) {
	pid, line := play(t, "family")
	escaped, err := strconv.Atoi(line)
	if err != nil {
		t.Fatal(line)
	}
	u, err := Tree(pid)
	slices.Sort(u.PIDs)
	if want := []int{pid, escaped}; err != nil || !slices.Equal(u.PIDs, want) {
		t.Errorf("got %v, %v want %v", u.PIDs, err, want)
	}
	if u.RSSB < 64<<20 {
		t.Errorf("got %d B", u.RSSB)
	}
}

func TestWatchReal(t *testing.T) {
	pid, _ := play(t, "big")
	for _, row := range []struct {
		limits Limits
		want   Trip
	}{
		{Limits{TreeB: 32 << 20}, Memory},
		{Limits{TreeB: 1 << 40, LowWaterB: 1 << 50}, LowWater},
	} {
		if got := Watch(t.Context(), pid, row.limits); got.Trip != row.want || got.PeakTreeB < 64<<20 {
			t.Errorf("%+v: got %s, peak %d B", row.limits, got.Trip, got.PeakTreeB)
		}
	}
}

func TestHostAvailableReal(t *testing.T) {
	if got, err := HostAvailable(); err != nil || got <= 0 {
		t.Errorf("got %d, %v", got, err)
	}
}

// TestPeakOfASmallChild: the peak is the child's own, however big its parent
// is. The one that comes with the exit status is not.
func TestPeakOfASmallChild(t *testing.T) {
	const ballastB = 200 << 20
	ballast := touched(ballastB)
	_, line := play(t, "peak")
	ballast[0] = 2
	var peakB int64
	if _, err := fmt.Sscan(line, &peakB); err != nil || peakB <= 0 || peakB > ballastB/2 {
		t.Errorf("got %q, %v", line, err)
	}
}

func TestResetSelfPeak(t *testing.T) {
	const ballastB = 100 << 20
	ballast := touched(ballastB)
	before, err := SelfPeak()
	if err != nil || before < ballastB {
		t.Fatalf("before: %d B, %v", before, err)
	}
	ballast[0] = 2
	ballast = nil
	debug.FreeOSMemory()
	if err := ResetSelfPeak(); err != nil {
		t.Fatal(err)
	}
	if after, err := SelfPeak(); err != nil || after > before-ballastB/2 {
		t.Errorf("before %d B, after %d B, %v", before, after, err)
	}
}

func BenchmarkTree(b *testing.B) {
	for b.Loop() {
		if _, err := Tree(os.Getpid()); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkHostAvailable(b *testing.B) {
	for b.Loop() {
		if _, err := HostAvailable(); err != nil {
			b.Fatal(err)
		}
	}
}
