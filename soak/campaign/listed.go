package campaign

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"github.com/exactlyonce/certify/soak"
	"github.com/exactlyonce/certify/soak/child"
	"github.com/exactlyonce/certify/soak/guard"
)

// Listed asks a runner what was imported into it. That runs code of the package, which
// may hang, print, exit and start processes as in a repetition: it is a child, it has
// this long, and its words are in the error.
func Listed(ctx context.Context, runner string, limit time.Duration, limits guard.Limits) (all []soak.Listed, err error) {
	dir, err := os.MkdirTemp("", "certify-list-")
	if err != nil {
		return nil, fmt.Errorf("campaign: list: %w", err)
	}
	defer os.RemoveAll(dir)
	answer, log := filepath.Join(dir, "answer"), filepath.Join(dir, "log")
	logged, stop := watchLog(ctx, log)
	exit, err := child.Run(logged, child.Spec{
		Path: runner, Args: []string{soak.ListArg, answer}, Env: childEnv(),
		LogPath: log, Deadline: limit, Limits: limits,
	})
	stop()
	if ctx.Err() != nil {
		return nil, ErrInterrupted
	}
	if err != nil {
		return nil, err
	}
	if exit.Cause == child.LowWater || exit.Cause == child.Blind {
		return nil, fmt.Errorf("campaign: list: %s", exit.Memory)
	}
	data, readErr := os.ReadFile(answer)
	if why := unlisted(exit, readErr == nil, limit); why != "" {
		return nil, fmt.Errorf("campaign: list: %w: %s%s", ErrImport, why, head(log))
	}
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, fmt.Errorf("campaign: list: %w: %w", ErrImport, err)
	}
	return all, nil
}

// unlisted is why there is no answer, or none to go by.
func unlisted(exit child.Exit, answered bool, limit time.Duration) string {
	const imported = "its init functions, variables, or " + executorsFunc + "() or " + backendsFunc + "()"
	switch {
	case exit.Cause == child.Deadline:
		return fmt.Sprintf("the package does not say within %v what it exports: %s, or what these make, hang", limit, imported)
	case exit.Cause == child.Memory:
		return fmt.Sprintf("%s: of %s", exit.Memory, imported)
	case exit.Cause == child.Cancelled:
		return fmt.Sprintf("%s wrote more than %d MiB", imported, maxLogB>>20)
	case exit.Cause == child.Signalled:
		return fmt.Sprintf("killed by signal %d (%v)", int(exit.Signal), exit.Signal)
	case exit.Code != 0:
		return fmt.Sprintf("exit status %d when it was asked what it exports", exit.Code)
	case !answered:
		return fmt.Sprintf("the process ended, as if all were well, before the package said what it exports: does one of %s call os.Exit?", imported)
	case exit.Survivors > 0:
		return fmt.Sprintf("%d processes were left behind by %s", exit.Survivors, imported)
	}
	return ""
}

// Of a log that is shown, since there is no run yet to keep it.
const (
	headLines = 12
	headWidth = 160
	headB     = 64 << 10
)

// head is the beginning of a log, without what would steer a terminal: of a dump, the
// goroutine that has the init functions and calls what is exported.
func head(log string) string {
	f, err := os.Open(log)
	if err != nil {
		return ""
	}
	defer f.Close()
	data, _ := io.ReadAll(io.LimitReader(f, headB)) // what cannot be read is not shown
	text := strings.TrimSpace(string(data))
	if at := strings.Index(text, "\ngoroutine 1 "); at >= 0 && strings.HasPrefix(text, "SIGQUIT") {
		text = text[at+1:]
	}
	var b strings.Builder
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if i == headLines {
			fmt.Fprintf(&b, "\n\t... %d more lines", len(lines)-i)
			break
		}
		if line = strings.Map(shown, line); line != "" {
			fmt.Fprintf(&b, "\n\t%.*s", headWidth, line)
		}
	}
	return b.String()
}

func shown(c rune) rune {
	switch {
	case c == '\t':
		return ' '
	case !unicode.IsPrint(c):
		return '?'
	}
	return c
}
