package campaign

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/exactlyonce/certify/soak"
	"github.com/exactlyonce/certify/soak/child"
	"github.com/exactlyonce/certify/soak/explore/survey"
	"github.com/exactlyonce/certify/soak/guard"
)

// What a back end of others is asked for before it is planned to explore it: the
// smallest programs, within some seconds.
var (
	smallest      = survey.Size{Length: 2, Each: 1, Executions: 200}
	probePatience = 20 * time.Second
)

// Probe builds an explorer with an imported package, in dir, and has it look at the
// smallest programs of each back end. It returns why one cannot be explored, by the
// subject: source that cannot be rewritten, or operations that nobody controls. That
// is no fault of theirs. A law that is broken is for the run to find.
func Probe(ctx context.Context, path, dir string, subjects []soak.SubjectName, limits guard.Limits) (why map[soak.SubjectName]string, err error) {
	p := Plan{Import: path}
	for _, s := range subjects {
		p.Explorations = append(p.Explorations, Cell{Drill: ExploreDrill, Subject: s, Size: smallest})
	}
	why = map[soak.SubjectName]string{}
	_, err = BuildExplorer(ctx, p, dir)
	if errors.Is(err, ErrInterrupted) {
		return nil, err
	}
	for _, c := range p.Explorations {
		if err != nil {
			why[c.Subject] = "the explorer cannot be built: " + firstLine(err.Error())
			continue
		}
		reason, err := c.probe(ctx, dir, limits)
		if err != nil {
			return nil, err
		}
		if reason != "" {
			why[c.Subject] = reason
		}
	}
	return why, nil
}

// probe returns why the cell cannot be explored, if it cannot.
func (c Cell) probe(ctx context.Context, dir string, limits guard.Limits) (why string, err error) {
	log := filepath.Join(dir, "probe.log")
	defer os.Remove(log)
	exit, out, err := c.runExplorer(ctx, dir, log, probePatience, limits)
	switch {
	case err != nil:
		return "", err
	case exit.Cause == child.Deadline:
		return fmt.Sprintf("the smallest programs take the explorer more than %v", probePatience), nil
	}
	sum, err := survey.Read(bytes.NewReader(out))
	switch {
	case err != nil || sum.Scenarios == 0:
		return fmt.Sprintf("the explorer ends with code %d: %s", exit.Code, firstLine(string(out))), nil
	case sum.Failed != nil && sum.Failed.Invalid != "":
		return firstLine(sum.Failed.Invalid), nil
	}
	return "", nil
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}
