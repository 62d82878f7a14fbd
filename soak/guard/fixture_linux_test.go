package guard

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// fixture writes files below a root of its own.
func fixture(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		name = filepath.Join(root, name)
		err := os.MkdirAll(filepath.Dir(name), 0o777)
		if err == nil {
			err = os.WriteFile(name, []byte(text), 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// stat is a line of /proc/PID/stat.
func stat(pid int, name, state string, ppid, pgrp, session, rss int) string {
	return fmt.Sprintf("%d (%s) %s %d %d %d 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 12345 999999 %d 18446744073709551615 1 1\n",
		pid, name, state, ppid, pgrp, session, rss)
}

func TestTreeFixture(t *testing.T) {
	root := fixture(t, map[string]string{
		"proc/1/stat":       stat(1, "init", "S", 0, 1, 1, 1000),
		"proc/100/stat":     stat(100, "leader", "S", 1, 100, 50, 1),
		"proc/101/stat":     stat(101, "a) Z 1 (b", "R", 100, 100, 50, 2),
		"proc/102/stat":     stat(102, "line\nbreak )", "D", 1, 100, 50, 4), // orphan in the group
		"proc/103/stat":     stat(103, "setsid", "S", 101, 103, 103, 8),
		"proc/104/stat":     stat(104, "", "S", 103, 103, 103, 16),
		"proc/105/stat":     stat(105, "dead", "Z", 100, 100, 50, 0),
		"proc/106/stat":     stat(106, "session", "S", 1, 106, 100, 32),
		"proc/200/stat":     stat(200, "other", "S", 1, 200, 50, 64),
		"proc/300/maps":     "no stat: it ended meanwhile",
		"proc/self/cgroup":  "",
		"proc/sys/x":        "",
		"proc/1x/stat":      "not a process",
		"proc/100/task/x/y": "",
	})
	u, err := tree(root, 100)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(u.PIDs)
	if want := []int{100, 101, 102, 103, 104, 106}; !slices.Equal(u.PIDs, want) {
		t.Errorf("got %v want %v", u.PIDs, want)
	}
	if want := int64(1+2+4+8+16+32) * int64(os.Getpagesize()); u.RSSB != want {
		t.Errorf("got %d B want %d B", u.RSSB, want)
	}
	if u, err := tree(root, 999); err != nil || u.RSSB != 0 || u.PIDs != nil {
		t.Errorf("a group that is gone: %+v, %v", u, err)
	}
}

func TestTreeBlind(t *testing.T) {
	good := stat(7, "x", "S", 1, 7, 7, 1)
	for _, row := range []struct{ name, stat string }{
		{"empty", ""},
		{"garbage", "\x00\xff"},
		{"no name", "7 x S 1 7 7"},
		{"name only", "7 (x)"},
		{"parentheses crossed", "7 )x( S 1 7 7"},
		{"short", good[:60]},
		{"letters for a parent", strings.Replace(good, "S 1 7", "S a 7", 1)},
		{"two letters for a state", strings.Replace(good, " S ", " SS ", 1)},
		{"letters for pages", strings.Replace(good, "999999 1 ", "999999 x ", 1)},
		{"negative pages", strings.Replace(good, "999999 1 ", "999999 -1 ", 1)},
		{"huge pages", strings.Replace(good, "999999 1 ", "999999 99999999999999999999 ", 1)},
	} {
		root := fixture(t, map[string]string{"proc/7/stat": row.stat, "proc/8/stat": good})
		if row.stat == good {
			t.Errorf("%s: nothing was replaced", row.name)
		}
		if u, err := tree(root, 7); err == nil {
			t.Errorf("%s: got %+v", row.name, u)
		}
	}
	for name, root := range map[string]string{
		"no /proc":           t.TempDir(),
		"empty /proc":        fixture(t, map[string]string{"proc/version": ""}),
		"stat is not a file": fixture(t, map[string]string{"proc/7/stat/x": ""}),
	} {
		if u, err := tree(root, 7); err == nil {
			t.Errorf("%s: got %+v", name, u)
		}
	}
	for _, pgid := range []int{-1, 0, 1} {
		if u, err := Tree(pgid); err == nil {
			t.Errorf("group %d: got %d processes", pgid, len(u.PIDs))
		}
	}
}

const (
	meminfo = "MemTotal:  4096 kB\nMemFree: 1 kB\nMemAvailable:    2048 kB\n"
	mib     = 1 << 20
)

func TestAvailable(t *testing.T) {
	const v1 = "9:name=systemd:/\n4:memory,hugetlb:/a/b\n0::/\n"
	for _, row := range []struct {
		name  string
		want  int64
		files map[string]string
	}{
		{"no cgroups", 2 * mib, nil},
		{"v2 headroom", mib, map[string]string{
			"proc/self/cgroup": "0::/a\n",
			"a/memory.max":     strconv.Itoa(3 * mib), "a/memory.current": strconv.Itoa(2 * mib),
		}},
		{"v2 cache does not count", 2*mib - 1, map[string]string{
			"proc/self/cgroup": "0::/a\n",
			"a/memory.max":     strconv.Itoa(3 * mib), "a/memory.current": strconv.Itoa(2 * mib),
			"a/memory.stat": fmt.Sprintf("file 9\ninactive_file %d\n", mib-1),
		}},
		{"v2 unlimited", 2 * mib, map[string]string{
			"proc/self/cgroup": "0::/a\n", "a/memory.max": "max\n", "a/memory.current": "1",
		}},
		{"v2 limit above", 10, map[string]string{
			"proc/self/cgroup": "0::/a/b/c\n", "a/b/c/memory.max": "max\n",
			"a/memory.max": "30\n", "a/memory.current": "20\n",
		}},
		{"v2 over its limit", 0, map[string]string{
			"proc/self/cgroup": "0::/a\n", "a/memory.max": "30\n", "a/memory.current": "40\n",
		}},
		{"v2 seen from inside", 10, map[string]string{
			"proc/self/cgroup": "0::/../../x\n", "memory.max": "30\n", "memory.current": "20\n",
		}},
		{"v1 headroom", 10, map[string]string{
			"proc/self/cgroup":                 v1,
			"memory/a/b/memory.limit_in_bytes": "30\n", "memory/a/b/memory.usage_in_bytes": "22\n",
			"memory/a/b/memory.stat": "cache 9\ntotal_inactive_file 2\n",
		}},
		{"v1 unlimited", 2 * mib, map[string]string{
			"proc/self/cgroup":                 v1,
			"memory/a/b/memory.limit_in_bytes": "9223372036854771712\n", "memory/a/b/memory.usage_in_bytes": "22\n",
		}},
		{"host is less", 2 * mib, map[string]string{
			"proc/self/cgroup": "0::/a\n", "a/memory.max": strconv.Itoa(9 * mib), "a/memory.current": "0",
		}},
	} {
		if got, err := available(hostFixture(t, meminfo, row.files)); err != nil || got != row.want {
			t.Errorf("%s: got %d, %v want %d", row.name, got, err, row.want)
		}
	}
}

// hostFixture puts everything but /proc below the cgroup mount.
func hostFixture(t *testing.T, meminfo string, files map[string]string) string {
	t.Helper()
	all := map[string]string{"proc/meminfo": meminfo}
	for name, text := range files {
		if !strings.HasPrefix(name, "proc/") {
			name = "sys/fs/cgroup/" + name
		}
		all[name] = text
	}
	return fixture(t, all)
}

func TestAvailableBlind(t *testing.T) {
	for _, row := range []struct {
		name, meminfo string
		files         map[string]string
	}{
		{"no field", "MemTotal: 1 kB\n", nil},
		{"no number", "MemAvailable: x kB\n", nil},
		{"no unit", "MemAvailable: 1\n", nil},
		{"negative", "MemAvailable: -1 kB\n", nil},
		{"overflow", "MemAvailable: 9223372036854775807 kB\n", nil},
		{"bad cgroup", meminfo, map[string]string{"proc/self/cgroup": "nonsense\n"}},
		{"cgroup is not a file", meminfo, map[string]string{"proc/self/cgroup/x": ""}},
		{"bad limit", meminfo, map[string]string{"proc/self/cgroup": "0::/\n", "memory.max": "x"}},
		{"negative limit", meminfo, map[string]string{"proc/self/cgroup": "0::/\n", "memory.max": "-1"}},
		{"limit is not a file", meminfo, map[string]string{"proc/self/cgroup": "0::/\n", "memory.max/x": ""}},
		{"no usage", meminfo, map[string]string{"proc/self/cgroup": "0::/\n", "memory.max": "1"}},
		{"bad usage", meminfo, map[string]string{"proc/self/cgroup": "0::/\n", "memory.max": "1", "memory.current": ""}},
	} {
		if got, err := available(hostFixture(t, row.meminfo, row.files)); err == nil {
			t.Errorf("%s: got %d", row.name, got)
		}
	}
	if _, err := available(t.TempDir()); err == nil {
		t.Error("no /proc: accepted")
	}
}

// TestCacheUnknown errs on the side of tripping.
func TestCacheUnknown(t *testing.T) {
	root := hostFixture(t, meminfo, map[string]string{
		"proc/self/cgroup": "0::/\n", "memory.max": "30", "memory.current": "20", "memory.stat": "inactive_file x\n",
	})
	if got, err := available(root); err != nil || got != 10 {
		t.Errorf("got %d, %v", got, err)
	}
}

func FuzzParseStat(f *testing.F) {
	f.Add([]byte(stat(101, "a) Z 1 (b", "R", 100, 100, 50, 2)))
	f.Fuzz(func(t *testing.T, data []byte) {
		if p, err := parseStat(data); err == nil && p.rssPages < 0 {
			t.Errorf("%q: %+v", data, p)
		}
	})
}
