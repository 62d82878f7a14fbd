package guard

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// HostAvailable returns how many bytes can still be used: of the host, or of
// the container where that is less.
func HostAvailable() (int64, error) { return available("/") }

func available(root string) (int64, error) {
	leftB, err := kilobytes(filepath.Join(root, "proc/meminfo"), "MemAvailable:")
	if err != nil {
		return 0, fmt.Errorf("guard: memory of the host: %w", err)
	}
	groups, err := cgroups(root)
	if err != nil {
		return 0, fmt.Errorf("guard: memory of the container: %w", err)
	}
	for _, g := range groups {
		headroomB, limited, err := g.headroom()
		if err != nil {
			return 0, fmt.Errorf("guard: memory of the container: %w", err)
		}
		if limited {
			leftB = min(leftB, headroomB)
		}
	}
	return leftB, nil
}

// cgroup is one level of the hierarchy that we are in, and how its version
// spells what we read.
type cgroup struct {
	dir                      string
	limit, usage, cacheField string
}

// cgroups returns the levels from ours to the root: a limit of any of them
// binds us.
func cgroups(root string) ([]cgroup, error) {
	text, err := os.ReadFile(filepath.Join(root, "proc/self/cgroup"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // a kernel without cgroups
	}
	if err != nil {
		return nil, err
	}
	var groups []cgroup
	for line := range strings.Lines(string(text)) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) != 3 {
			return nil, fmt.Errorf("proc/self/cgroup: line %q", line)
		}
		level, ok := cgroupKind(root, fields[0], strings.Split(fields[1], ","))
		if !ok {
			continue
		}
		mount := level.dir
		for below := path.Join("/", fields[2]); ; below = path.Dir(below) {
			level.dir = filepath.Join(mount, below)
			groups = append(groups, level)
			if below == "/" {
				break
			}
		}
	}
	return groups, nil
}

func cgroupKind(root, id string, controllers []string) (cgroup, bool) {
	mount := filepath.Join(root, "sys/fs/cgroup")
	switch {
	case id == "0":
		return cgroup{mount, "memory.max", "memory.current", "inactive_file"}, true
	case slices.Contains(controllers, "memory"):
		mount = filepath.Join(mount, "memory")
		return cgroup{mount, "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"}, true
	}
	return cgroup{}, false
}

// unlimitedB is far above any machine: version 1 writes "no limit" as the
// greatest multiple of a page.
const unlimitedB = 1 << 60

// headroom is the limit less what is used and cannot be dropped. A level
// without a limit has none; one that is not there, as seen from inside a
// container, neither.
func (g cgroup) headroom() (int64, bool, error) {
	limit, err := os.ReadFile(filepath.Join(g.dir, g.limit))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, err
	}
	if strings.TrimSpace(string(limit)) == "max" {
		return 0, false, nil
	}
	limitB, err := parseBytes(limit)
	if err != nil || limitB >= unlimitedB {
		return 0, false, err
	}
	usage, err := os.ReadFile(filepath.Join(g.dir, g.usage))
	if err != nil {
		return 0, false, err
	}
	usageB, err := parseBytes(usage)
	if err != nil {
		return 0, false, err
	}
	return max(0, limitB-max(0, usageB-g.cacheB())), true, nil
}

// cacheB is what the kernel drops first when memory is short. Without it a
// build that filled the page cache would look like a full container. Not
// known is 0, which errs on the side of tripping.
func (g cgroup) cacheB() int64 {
	text, err := os.ReadFile(filepath.Join(g.dir, "memory.stat"))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(line, " "); ok && name == g.cacheField {
			cacheB, err := parseBytes([]byte(value))
			if err != nil {
				return 0
			}
			return cacheB
		}
	}
	return 0
}

func parseBytes(text []byte) (int64, error) {
	n, err := strconv.ParseInt(string(bytes.TrimSpace(text)), 10, 64)
	if err == nil && n < 0 {
		err = fmt.Errorf("%d bytes", n)
	}
	return n, err
}

// kilobytes returns the bytes of a line such as "VmHWM:  1234 kB".
func kilobytes(name, field string) (int64, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] != field {
			continue
		}
		if len(words) != 3 || words[2] != "kB" {
			return 0, fmt.Errorf("%s: line %q", name, line)
		}
		kb, err := parseBytes([]byte(words[1]))
		if err != nil || kb > unlimitedB>>10 {
			return 0, fmt.Errorf("%s: line %q", name, line)
		}
		return kb << 10, nil
	}
	return 0, fmt.Errorf("%s: no line %s", name, field)
}
