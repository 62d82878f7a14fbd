package rewrite

import (
	"fmt"
	"path/filepath"
	"strings"
)

// driverDir is where a driver appears in the main module. It exists in the
// overlay only.
const driverDir = "certifyexploredriver"

// Build rewrites s with a main package added, whose source is given, and builds
// it to the file out. The patterns of s must include what the driver imports.
func Build(s Subject, driver, out string) (*Result, error) {
	root, err := goCommand(s.Dir, "list", "-m", "-f", "{{.Dir}}")
	if err != nil {
		return nil, err
	}
	dir := strings.TrimSpace(string(root))
	if strings.ContainsAny(dir, "\r\n") {
		return nil, fmt.Errorf("rewrite: %s is a workspace of several modules: set GOWORK=off", s.Dir)
	}
	s.Dir = dir
	s.Extra = map[string]string{filepath.Join(dir, driverDir, "main.go"): driver}
	r, err := Rewrite(s)
	if err != nil {
		return nil, err
	}
	args := append([]string{"build"}, r.Flags...)
	_, err = goCommand(dir, append(args, "-o", out, "./"+driverDir)...)
	return r, err
}
