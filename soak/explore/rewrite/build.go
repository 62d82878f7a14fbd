package rewrite

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// driverDir is where a driver appears in the module of Subject.Dir. It exists in the
// overlay only.
const driverDir = "certifyexploredriver"

// Build rewrites s with a main package added, whose source is given, and builds
// it to the file out. The patterns of s must include what the driver imports.
func Build(s Subject, driver, out string) (*Result, error) {
	gomod, err := goEnv(s.Dir, "GOMOD")
	if err != nil {
		return nil, err
	}
	if gomod == "" || gomod == os.DevNull {
		return nil, fmt.Errorf("rewrite: %s is in no module", s.Dir)
	}
	dir := filepath.Dir(gomod)
	s.Dir = dir
	s.Extra = map[string]string{filepath.Join(dir, driverDir, "main.go"): driver}
	r, err := Rewrite(s)
	if err != nil {
		return nil, err
	}
	args := append([]string{"build"}, r.Flags...)
	_, err = goCommandIn(r.Env, dir, append(args, "-o", out, "./"+driverDir)...)
	return r, err
}

// goEnv is a variable of the go command's, in a directory.
func goEnv(dir, name string) (string, error) {
	out, err := goCommand(dir, "env", name)
	return strings.TrimSpace(string(out)), err
}
