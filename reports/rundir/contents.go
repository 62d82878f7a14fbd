package rundir

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/exactlyonce/certify/reports/record"
)

// Origin is what a run begins with.
type Origin struct {
	Run       string       // its name, a word
	Shard     record.Shard // which part of the plan this is
	Plan, Env []byte       // JSON
}

// Contents is what a run directory holds.
type Contents struct {
	Origin
	Pins    map[string]string // SHA-256 of plan.json, env.json and what the caller pinned
	Records []record.Record   // in the order in which they were finished
	TornB   int64             // bytes of an unfinished last line, not in Records
}

func (c Contents) clone() Contents {
	c.Pins = maps.Clone(c.Pins)
	c.Records = slices.Clone(c.Records)
	return c
}

// Read returns the contents of a run directory, and changes nothing. It takes
// no lock: while a run goes on, it sees what is finished.
func Read(path string) (Contents, error) {
	c := Contents{Pins: map[string]string{}}
	name := filepath.Join(path, ResultsFile)
	data, err := readFile(name)
	if err != nil {
		return c, notARun(path, err)
	}
	if err := c.parse(name, data); err != nil {
		return c, err
	}
	if c.Plan, err = c.readPinned(path, PlanFile); err != nil {
		return c, err
	}
	c.Env, err = c.readPinned(path, EnvFile)
	return c, err
}

func (c *Contents) readPinned(path, name string) ([]byte, error) {
	data, err := readFile(filepath.Join(path, name))
	if err != nil {
		return nil, fmt.Errorf("rundir: read: %w", err)
	}
	if now := digest(data); now != c.Pins[name] {
		return nil, &ChangedError{Path: path, What: name, Was: c.Pins[name], Now: now}
	}
	return data, nil
}

// The first line is the head; pins follow it, and then records.
const (
	headSchema = "certify/results/1"
	pinSchema  = "certify/pin/1"
)

type head struct {
	Schema string        `json:"schema"`
	Run    string        `json:"run"`
	Shard  *record.Shard `json:"shard,omitempty"`
}

type pin struct {
	Schema string `json:"schema"`
	What   string `json:"what"`
	SHA256 string `json:"sha256"`
}

// encodeHead returns the first lines of a new results.jsonl.
func (o Origin) encodeHead() ([][]byte, error) {
	var lines [][]byte
	first := head{Schema: headSchema, Run: o.Run}
	if o.Shard != (record.Shard{}) {
		first.Shard = &o.Shard
	}
	for _, v := range []any{
		first,
		pin{pinSchema, PlanFile, digest(o.Plan)},
		pin{pinSchema, EnvFile, digest(o.Env)},
	} {
		line, err := record.Seal(v)
		if err != nil {
			return nil, err
		}
		lines = append(lines, line)
	}
	return lines, nil
}

// parse reads results.jsonl. Only bytes after the last newline can be left by
// a crash, for a line is written at once with its end: they are counted and
// dropped. A complete line that is bad is damage of another kind.
func (c *Contents) parse(name string, data []byte) error {
	end := bytes.LastIndexByte(data, '\n') + 1
	c.TornB = int64(len(data) - end)
	seen := map[string]int{}
	number := 0
	for line := range bytes.Lines(data[:end]) {
		number++
		if err := c.parseLine(number, line, seen); err != nil {
			return fmt.Errorf("rundir: read: %s:%d: %w", name, number, err)
		}
	}
	if number == 0 {
		return fmt.Errorf("rundir: read: %s: no head", name)
	}
	return nil
}

func (c *Contents) parseLine(number int, line []byte, seen map[string]int) error {
	if number == 1 {
		return c.parseHead(line)
	}
	if len(c.Records) == 0 {
		var p pin
		if err := record.Unseal(line, &p); err != nil {
			return err
		}
		if p.Schema == pinSchema {
			return c.parsePin(line, p)
		}
	}
	r, err := record.Decode(line)
	if err != nil {
		return err
	}
	if want := len(c.Records) + 1; r.Seq != want {
		return fmt.Errorf("seq %d, want %d: a line is missing or moved", r.Seq, want)
	}
	if r.Log != "" && !IsLog(r.Log) {
		return fmt.Errorf("%s: %.80q: %w", repetition(r), r.Log, ErrNotLog)
	}
	if before, ok := seen[repetition(r)]; ok {
		return fmt.Errorf("%s: already on line %d", repetition(r), before)
	}
	seen[repetition(r)] = number
	c.Records = append(c.Records, r)
	return nil
}

func (c *Contents) parseHead(line []byte) error {
	var h head
	if err := record.Unseal(line, &h); err != nil {
		return err
	}
	if h.Schema != headSchema {
		return fmt.Errorf("schema %.40q: this version reads %s", h.Schema, headSchema)
	}
	if err := asSealed(line, h); err != nil {
		return err
	}
	if !record.IsWord(h.Run) {
		return fmt.Errorf("run %.40q: want a word", h.Run)
	}
	c.Run = h.Run
	if h.Shard != nil {
		c.Shard = *h.Shard
	}
	return c.Shard.Validate()
}

func (c *Contents) parsePin(line []byte, p pin) error {
	if err := asSealed(line, p); err != nil {
		return err
	}
	if err := p.validate(); err != nil {
		return err
	}
	if _, ok := c.Pins[p.What]; ok {
		return fmt.Errorf("%s: pinned twice", p.What)
	}
	c.Pins[p.What] = p.SHA256
	return nil
}

// validate: a pin is shown to people, and may be a stranger's.
func (p pin) validate() error {
	for _, s := range []string{p.What, p.SHA256} {
		if s == "" || len(s) > maxPinB || strings.ContainsFunc(s, func(c rune) bool { return !unicode.IsPrint(c) }) {
			return fmt.Errorf("pin %.80q: %.80q: want a line of text each", p.What, p.SHA256)
		}
	}
	return nil
}

// maxPinB is more than the path of a module and its version have.
const maxPinB = 1024

// asSealed: a line is what Seal makes of what was read from it, as records are
// what Encode makes. So a field that nobody knows cannot hide.
func asSealed(line []byte, v any) error {
	again, err := record.Seal(v)
	if err != nil {
		return err
	}
	if !bytes.Equal(again, line) {
		return errors.New("not the encoding of what it holds")
	}
	return nil
}

// readFile reads a file, and waits for nobody who may hold the other end of a pipe.
func readFile(name string) ([]byte, error) {
	info, err := os.Stat(name)
	if err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: not a file", name)
	}
	return os.ReadFile(name)
}
