package campaign

import (
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"runtime/debug"
	"strings"
)

// Modules are the modules that are linked into a runner and that come from where
// modules are published, as path@version, each with the SHA-256 of its files: the
// hash h1 of go.sum, in hex. One that is built from a directory, such as the main
// module of a checkout, has no version, and is not among them.
func Modules(runner string) (map[string]string, error) {
	info, err := buildinfo.ReadFile(runner)
	if err != nil {
		return nil, fmt.Errorf("campaign: modules of %s: %w", runner, err)
	}
	modules := map[string]string{}
	for _, m := range append([]*debug.Module{&info.Main}, info.Deps...) {
		if m.Replace != nil {
			m = m.Replace
		}
		sum, ok := strings.CutPrefix(m.Sum, "h1:")
		if !ok {
			continue
		}
		raw, err := base64.StdEncoding.DecodeString(sum)
		if err != nil {
			return nil, fmt.Errorf("campaign: modules of %s: %s has the sum %q: %w", runner, m.Path, m.Sum, err)
		}
		modules[m.Path+"@"+m.Version] = hex.EncodeToString(raw)
	}
	return modules, nil
}
