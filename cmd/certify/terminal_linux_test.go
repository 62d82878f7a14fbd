package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// terminal opens a pseudo terminal. What is written to the one end is read
// from the other, until nobody has the first open any more.
func terminal(t *testing.T) (screen, end *os.File) {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("NOT TESTED: a terminal: %v", err)
	}
	t.Cleanup(func() { screen.Close() })
	n, err := unix.IoctlGetInt(int(screen.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(screen.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	end, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("NOT TESTED: a terminal: %v", err)
	}
	return screen, end
}

// onTerminal runs certify with its outputs on a terminal and returns what
// was shown there.
func onTerminal(t *testing.T, env string, args ...string) string {
	t.Helper()
	screen, end := terminal(t)
	p := prepareProcess(t, t.TempDir(), args...)
	p.Env = append(p.Env, "TERM=xterm", env)
	p.Stdout, p.Stderr = end, end
	p.start()
	end.Close()
	var shown strings.Builder
	for buf := make([]byte, 4096); ; {
		n, err := screen.Read(buf)
		shown.Write(buf[:n])
		if err != nil { // EIO is the end
			break
		}
	}
	p.ends(0)
	return shown.String()
}

const erase = "\r\x1b[K"

// TestTerminal: one live line, drawn once a repetition, with the time that is
// left, and taken away at the end.
func TestTerminal(t *testing.T) {
	t.Parallel()
	shown := onTerminal(t, "NO_COLOR=", "soak", "--race=false", "--tasks", "2000", "--reps", "4")
	draws := strings.Split(shown, erase)
	// What is before the first line, four lines, and what is after the last.
	if len(draws) != 6 {
		t.Fatalf("%d draws, want 6: %q", len(draws), shown)
	}
	for i, line := range draws[1:5] {
		want := fmt.Sprintf("%d of 4", i+1)
		left := strings.Contains(line, "about ") && strings.Contains(line, " left")
		what := fmt.Sprintf("  repetition %d of exactly-once", i+1)
		if !strings.HasPrefix(line, want) || !strings.Contains(line, what) || left != (i > 0) || len(line) > 79 {
			t.Errorf("line %d: %q", i+1, line)
		}
	}
	if !strings.HasPrefix(draws[5], "\x1b[1;32mCERTIFIED\x1b[0m\r\n") {
		t.Errorf("after the live line: %q", draws[5])
	}
	if strings.Contains(shown, "clean in") {
		t.Errorf("plain lines beside the live one: %q", shown)
	}
}

// TestTerminalPlain: without colour, and on a terminal that cannot draw.
func TestTerminalPlain(t *testing.T) {
	t.Parallel()
	shown := onTerminal(t, "NO_COLOR=1", "soak", "--race=false", "--tasks", "2000", "--reps", "2")
	if strings.Contains(shown, "\x1b[1;") || !strings.Contains(shown, "\nCERTIFIED\r\n") && !strings.Contains(shown, erase+"CERTIFIED\r\n") {
		t.Errorf("with NO_COLOR: %q", shown)
	}
	shown = onTerminal(t, "TERM=dumb", "soak", "--race=false", "--tasks", "2000", "--reps", "2")
	if strings.Contains(shown, "\x1b") || !strings.Contains(shown, "certify: 1 of 2: clean in") {
		t.Errorf("with TERM=dumb: %q", shown)
	}
}
