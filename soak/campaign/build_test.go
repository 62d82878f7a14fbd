package campaign

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestBuild: the same sources make the same bytes, and nothing else is left.
func TestBuild(t *testing.T) {
	dir := t.TempDir()
	if err := Check(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	var shas []string
	for _, name := range []string{"one", "two", "two"} {
		sha, err := Build(t.Context(), filepath.Join(dir, name), false, "")
		if err != nil {
			t.Fatal(err)
		}
		shas = append(shas, sha)
	}
	if shas[0] != shas[1] || shas[0] != shas[2] || len(shas[0]) != 64 {
		t.Errorf("hashes %q", shas)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
		t.Errorf("made %v, %v", entries, err)
	}
}

func TestBuildNot(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Build(t.Context(), filepath.Join(file, "runner"), false, ""); err == nil || errors.Is(err, ErrNoModule) {
		t.Errorf("below a file: got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	dir := t.TempDir()
	if _, err := Build(ctx, filepath.Join(dir, "runner"), false, ""); !errors.Is(err, ErrInterrupted) {
		t.Errorf("interrupted: got %v", err)
	}
	if err := Check(ctx, true); !errors.Is(err, ErrInterrupted) {
		t.Errorf("check, interrupted: got %v", err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) > 0 {
		t.Errorf("left behind: %v", entries)
	}
}

// TestCheck: each thing that can be lacking has its error.
func TestCheck(t *testing.T) {
	t.Run("compiler", func(t *testing.T) {
		t.Setenv("CC", filepath.Join(t.TempDir(), "cc"))
		if err := Check(t.Context(), true); !errors.Is(err, ErrNoCompiler) {
			t.Errorf("got %v", err)
		}
		if err := Check(t.Context(), false); err != nil {
			t.Errorf("without the race detector: got %v", err)
		}
	})
	t.Run("module", func(t *testing.T) {
		t.Chdir(t.TempDir())
		t.Setenv("GOWORK", "off")
		if err := Check(t.Context(), false); !errors.Is(err, ErrNoModule) {
			t.Errorf("outside of all modules: got %v", err)
		}
		if err := os.WriteFile("go.mod", []byte("no module\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := Check(t.Context(), false); err == nil || errors.Is(err, ErrNoModule) {
			t.Errorf("a broken module: got %v", err)
		}
	})
	t.Run("go", func(t *testing.T) {
		t.Setenv("PATH", t.TempDir())
		if err := Check(t.Context(), false); !errors.Is(err, ErrNoGo) {
			t.Errorf("got %v", err)
		}
		if _, err := Build(t.Context(), filepath.Join(t.TempDir(), "runner"), false, ""); !errors.Is(err, ErrNoGo) {
			t.Errorf("build: got %v", err)
		}
	})
}

func TestSHA256(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, []byte("abc"), 0o644); err != nil {
		t.Fatal(err)
	}
	const want = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
	if got, err := SHA256(name); err != nil || got != want {
		t.Errorf("got %s, %v", got, err)
	}
	if _, err := SHA256(name + "x"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}
