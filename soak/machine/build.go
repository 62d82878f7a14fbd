package machine

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
)

// The commit is of our own module, wherever it is checked out.
const (
	repository = "exactlyonce/certify"
	module     = "github.com/" + repository
)

// Build returns the version of the running binary and the commit it was made
// from: as stamped, else as git tells of the working directory when that is a
// checkout of ours, else unknown. A release is told by its version.
func Build(ctx context.Context) (version, commit string) {
	version, commit = "unknown", "unknown"
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return version, commit
	}
	if info.Main.Version != "" {
		version = info.Main.Version
	}
	stamp := map[string]string{}
	for _, s := range info.Settings {
		stamp[s.Key] = s.Value
	}
	if rev := stamp["vcs.revision"]; rev != "" {
		return version, marked(rev, stamp["vcs.modified"] == "true")
	}
	if strings.HasPrefix(version, "v") {
		return version, commit
	}
	if rev, dirty, err := gitHead(ctx); err == nil {
		return version, marked(rev, dirty)
	}
	if rev := os.Getenv("GITHUB_SHA"); rev != "" && os.Getenv("GITHUB_REPOSITORY") == repository {
		return version, rev
	}
	return version, commit
}

func marked(rev string, dirty bool) string {
	if dirty {
		return rev + " (modified)"
	}
	return rev
}

// gitHead is of the working directory. A repository of somebody else's, who
// uses us, says nothing of what we were made from.
func gitHead(ctx context.Context) (rev string, dirty bool, err error) {
	top, err := git(ctx, "rev-parse", "--show-toplevel")
	if err != nil {
		return "", false, err
	}
	mod, err := os.ReadFile(filepath.Join(top, "go.mod"))
	if err != nil {
		return "", false, err
	}
	if first, _, _ := strings.Cut(string(mod), "\n"); strings.TrimSpace(first) != "module "+module {
		return "", false, os.ErrNotExist
	}
	if rev, err = git(ctx, "rev-parse", "HEAD"); err != nil {
		return "", false, err
	}
	status, err := git(ctx, "status", "--porcelain")
	return rev, status != "", err
}

func git(ctx context.Context, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, "git", args...).Output()
	return strings.TrimSpace(string(out)), err
}
