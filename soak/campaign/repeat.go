package campaign

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	"github.com/exactlyonce/certify/reports/record"
	"github.com/exactlyonce/certify/soak"
)

// seed derives a repetition's seed from the plan's, the key and its number, so
// that one repetition can be run again alone.
func seed(plan uint64, key record.Key, rep int) uint64 {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s %d", plan, key, rep))
	return binary.BigEndian.Uint64(sum[:])
}

// repeat is the command that runs repetition rep of a cell again. It names
// whatever the verdict depends on, for the defaults and the settings may be
// others where it is run.
func (p Plan) repeat(c Cell, rep int) string {
	switch {
	case c.Subject.Kind == soak.CanaryName:
		return "" // it did what it is for
	case c.Drill == ExploreDrill:
		return p.repeatExplore(c)
	}
	b := "certify soak --drill " + c.Drill + " --executor " + c.Subject.Kind
	if c.Subject.Kind == soak.ImportName {
		b = "certify soak --import " + p.Import + " --drill " + c.Drill + " --executor " + c.Subject.Name
	}
	if c.Subject.Kind == soak.WorkStealingName {
		b += " --injector " + c.Subject.Injector + " --deque " + c.Subject.Deque
	}
	b += fmt.Sprintf(" --workers %d --tasks %d --batch %d --seed %d --rep %d --race=%t", c.Workers, c.Tasks, c.Batch, p.Seed, rep, p.Race)
	if c.Procs > 0 {
		b += fmt.Sprintf(" --procs %d", c.Procs)
	}
	if c.Perturb != "" {
		b += " --perturb " + c.Perturb
	}
	b += fmt.Sprintf(" --stall %v --deadline %v --memory %s --low-water %s", p.Stall, p.Deadline, sizeText(p.CeilingB), sizeText(p.LowWaterB))
	if p.Fault != nil && p.Fault.Rep == rep {
		b += fmt.Sprintf(" --fault %s@%d", p.Fault.Name, rep)
	}
	return b
}

// sizeText is a size as a flag takes it, and exact.
func sizeText(b int64) string {
	if b > 0 && b%(1<<20) == 0 {
		return fmt.Sprintf("%dMiB", b>>20)
	}
	return fmt.Sprintf("%dB", b)
}
