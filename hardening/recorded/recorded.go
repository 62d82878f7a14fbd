// Package recorded writes the records that lie beside it, from which README's page of
// what was survived and caught is made, and says of each where it is from.
package recorded

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/exactlyonce/certify/soak/machine"
)

// Head is how a record begins.
type Head struct {
	Machine string `json:"machine"` // kind of system and processor, memory, kernel
	Go      string `json:"go"`
	Commit  string `json:"commit"` // as machine.Build tells it
	Date    string `json:"date"`   // RFC 3339, UTC
}

// Now is the head of a record that is begun here and now.
func Now(ctx context.Context) Head {
	facts := machine.Read(ctx)
	_, commit := machine.Build(ctx)
	return Head{
		Machine: fmt.Sprintf("%s, %s, %s", facts.Class(), facts.Memory, facts.Kernel),
		Go:      runtime.Version(),
		Commit:  commit,
		Date:    time.Now().UTC().Format(time.RFC3339),
	}
}

// String is how README names where a record is from.
func (h Head) String() string {
	commit, rest, _ := strings.Cut(h.Commit, " ") // such as (modified)
	return strings.TrimSpace(fmt.Sprintf("%s, %s, %s, commit %.10s %s", h.Date[:10], h.Machine, h.Go, commit, rest))
}

// Write puts a record into the file of that path, whose folder it makes if need be. With
// no path it does nothing.
func Write(path string, record any) error {
	if path == "" {
		return nil
	}
	data, err := json.MarshalIndent(record, "", "  ")
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o777)
	}
	if err == nil {
		err = os.WriteFile(path, append(data, '\n'), 0o644)
	}
	if err != nil {
		return fmt.Errorf("recorded: write %s: %w", path, err)
	}
	return nil
}
