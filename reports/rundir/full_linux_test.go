package rundir

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/exactlyonce/certify/internal/mishap"
)

func init() { roles["limit"] = appendToLimit }

// appendToLimit lowers the size a file may have until Append fails, and
// raises it again.
func appendToLimit(path string) error {
	d, err := Open(path)
	if err != nil {
		return err
	}
	signal.Ignore(syscall.SIGXFSZ)
	limit := func(sizeB int64) error {
		return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: uint64(sizeB), Max: 1 << 40})
	}
	if err := limit(d.sizeB + 100); err != nil { // a third of a line
		return err
	}
	if err := d.Append(result(2)); !errors.Is(err, syscall.EFBIG) {
		return fmt.Errorf("beyond the limit: got %v", err)
	}
	if info, err := os.Stat(d.Path(ResultsFile)); err != nil || info.Size() != d.sizeB {
		return fmt.Errorf("not cut back: %d bytes, %v", info.Size(), err)
	}
	if err := limit(1 << 30); err != nil {
		return err
	}
	return d.Append(result(2))
}

// TestLimit: a line that is written in part does not stay.
func TestLimit(t *testing.T) {
	d := create(t)
	appendAll(t, d, 1)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	cmd, out := mishap.Start(t, "limit", d.path)
	for out.Scan() {
		t.Log(out.Text())
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	c, err := Read(d.path)
	if err != nil {
		t.Fatal(err)
	}
	checkReps(t, c, 1, 2)
}

func TestFullDisk(t *testing.T) {
	disk := mishap.SmallDisk(t)
	path := filepath.Join(disk, "run")
	free := mishap.FillDisk(t, disk)
	if _, err := Create(path, Origin{Run: "run-1", Plan: plan, Env: env}); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("create: got %v", err)
	}
	free()
	d, err := Create(path, Origin{Run: "run-1", Plan: plan, Env: env})
	if err != nil {
		t.Fatalf("create after a failed one: %v", err)
	}
	defer d.Close()
	free = mishap.FillDisk(t, disk)
	done := 0
	for ; err == nil; done++ {
		err = d.Append(result(done + 1))
	}
	done-- // the last one failed
	if !errors.Is(err, syscall.ENOSPC) || done == 0 {
		t.Fatalf("append: %d done, then %v", done, err)
	}
	if err := d.WriteFile("bench.txt", bytes.Repeat([]byte("x"), 8192)); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("write: got %v", err)
	}
	c, err := Read(path)
	if err != nil || len(c.Records) != done || c.TornB != 0 {
		t.Errorf("read: %d records, %d bytes torn, %v", len(c.Records), c.TornB, err)
	}
	free()
	appendAll(t, d, done+1)
}
