package rundir

import (
	"errors"
	"fmt"
	"os"

	"github.com/exactlyonce/certify/reports/record"
)

// Append makes r durable: when it returns nil, r is on the disk. It sets the
// sequence number, and the run where r has none. After an error, r does not
// count, and results.jsonl is cut back to what it was; when even that fails,
// or the disk does not say what it kept, the error says so and every later
// Append fails too. The error wraps the cause, such as syscall.ENOSPC.
func (d *Dir) Append(r record.Record) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.done[repetition(r)] {
		return fmt.Errorf("rundir: append to %s: %s: already done", d.path, repetition(r))
	}
	if r.Run == "" {
		r.Run = d.contents.Run
	}
	r.Seq = len(d.contents.Records) + 1
	if r.Log != "" && !IsLog(r.Log) {
		return fmt.Errorf("rundir: append to %s: %.80q: %w", d.path, r.Log, ErrNotLog)
	}
	line, err := record.Encode(r)
	if err != nil {
		return err
	}
	// What is kept is what a later Read will see.
	stored, err := record.Decode(line)
	if err != nil {
		return err
	}
	if err := d.write(line); err != nil {
		return fmt.Errorf("rundir: append to %s: %w", d.path, err)
	}
	d.done[repetition(r)] = true
	d.contents.Records = append(d.contents.Records, stored)
	return nil
}

// Pin ties the run to the thing called what, such as the runner's binary or
// the machine's class. The first Pin of a run records its SHA-256; every
// later one, after a resume, must bring the same, else it is a *ChangedError.
// A thing which is first pinned after results were recorded is one too: what
// those results came from cannot be known.
func (d *Dir) Pin(what, sha256 string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	was, ok := d.contents.Pins[what]
	if ok && was == sha256 {
		return nil
	}
	if ok || len(d.contents.Records) > 0 {
		return &ChangedError{Path: d.path, What: what, Was: was, Now: sha256}
	}
	p := pin{pinSchema, what, sha256}
	line, err := record.Seal(p)
	if err = errors.Join(err, p.validate()); err != nil {
		return fmt.Errorf("rundir: pin in %s: %w", d.path, err)
	}
	if err := d.write(line); err != nil {
		return fmt.Errorf("rundir: pin %s in %s: %w", what, d.path, err)
	}
	d.contents.Pins[what] = sha256
	return nil
}

// write appends one line and syncs it.
func (d *Dir) write(line []byte) error {
	if d.dead != nil {
		return fmt.Errorf("no more is written: %w", d.dead)
	}
	if _, err := d.results.Write(line); err != nil {
		return errors.Join(err, d.cutBack())
	}
	if err := d.results.Sync(); err != nil {
		// The kernel may have dropped the pages and may say yes next time.
		d.dead = fmt.Errorf("sync failed: %w", err)
		return errors.Join(err, d.cutBack())
	}
	d.sizeB += int64(len(line))
	return nil
}

// cutBack drops whatever follows the last complete line.
func (d *Dir) cutBack() error {
	// By path: a handle for appending may not cut on Windows.
	err := os.Truncate(d.Path(ResultsFile), d.sizeB)
	if err == nil {
		err = d.results.Sync()
	}
	if err != nil {
		d.dead = fmt.Errorf("an unfinished line could not be cut off: %w", err)
		return d.dead
	}
	return nil
}
