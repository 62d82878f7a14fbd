package mishap

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestMain(m *testing.M) {
	Play(map[string]func(path string) error{
		"fail": func(path string) error { return errors.New("no " + path) },
		"pass": func(string) error { return nil },
		"talk": talk,
	})
	os.Exit(m.Run())
}

// talk says a line for each that it has written.
func talk(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	for n := 1; ; n++ {
		if _, err := fmt.Fprintln(f, n); err != nil {
			return err
		}
		fmt.Println(n)
	}
}

// What a killed process has said is what it has done, up to one line.
func TestKill(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lines")
	cmd, says := Start(t, "talk", path)
	if !says.Scan() || says.Text() != "1" {
		t.Fatalf("said %q", says.Text())
	}
	said := 1 + len(Kill(t, cmd, says))
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(data), "\n"); n != said && n != said+1 {
		t.Errorf("wrote %d lines and said %d", n, said)
	}
}

// How a role ends is the exit code, and one that is not there is no success.
func TestPlay(t *testing.T) {
	for role, want := range map[string]int{"pass": 0, "fail": 1, "nobody": 1} {
		cmd, _ := Start(t, role, "luck")
		_ = cmd.Wait()
		if got := cmd.ProcessState.ExitCode(); got != want {
			t.Errorf("%s: exit %d, want %d", role, got, want)
		}
	}
}
