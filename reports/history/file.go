package history

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"

	"github.com/exactlyonce/certify/reports/record"
)

// Read reads a history; one that is not there yet is empty. A line that is damaged,
// or of another schema, is an error with its number.
func Read(file string) ([]Entry, error) {
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("history: read: %w", err)
	}
	var entries []Entry
	n := 0
	for line := range bytes.Lines(data) {
		n++
		var e Entry
		err := record.Unseal(line, &e)
		if err == nil {
			err = e.validate()
		}
		if err != nil {
			return nil, fmt.Errorf("history: read %s:%d: %w", file, n, err)
		}
		entries = Add(entries, e)
	}
	return entries, nil
}

func (e Entry) validate() error {
	if e.Schema != Schema {
		return fmt.Errorf("schema %.40q: this version reads %s", e.Schema, Schema)
	}
	if !record.IsWord(e.Run) {
		return fmt.Errorf("run %.40q: want a word", e.Run)
	}
	for _, s := range e.Series {
		name := benchfmt.Name(s.Name)
		if s.Name == "" || strings.ContainsAny(name.String()+s.Unit, " \t\r\n") || s.Unit == "" || s.Better != 1 && s.Better != -1 || len(s.Values) == 0 {
			return fmt.Errorf("series %.80q in %.40q: want a name, a unit, its direction and values", s.Name, s.Unit)
		}
		for _, v := range s.Values {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("series %.80q: %v is not a number", s.Name, v)
			}
		}
	}
	return nil
}

// Add returns the entries with e, by time; one of the same run is replaced.
func Add(entries []Entry, e Entry) []Entry {
	entries = slices.DeleteFunc(slices.Clone(entries), func(have Entry) bool { return have.Run == e.Run })
	entries = append(entries, e)
	slices.SortStableFunc(entries, func(a, b Entry) int {
		return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(a.Run, b.Run))
	})
	return entries
}

// Write writes a history, as a whole or not at all.
func Write(file string, entries []Entry) error {
	var all bytes.Buffer
	for _, e := range entries {
		line, err := record.Seal(e)
		if err != nil {
			return fmt.Errorf("history: write: %w", err)
		}
		all.Write(line)
	}
	temp, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+".*")
	if err != nil {
		return fmt.Errorf("history: write: %w", err)
	}
	defer os.Remove(temp.Name()) // not there any more when all is well
	_, err = temp.Write(all.Bytes())
	if err = errors.Join(err, temp.Sync(), temp.Close()); err == nil {
		err = os.Rename(temp.Name(), file)
	}
	if err != nil {
		return fmt.Errorf("history: write: %w", err)
	}
	return nil
}
