package filestore_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/executor/jobs"
	"github.com/exactlyonce/certify/executor/jobs/filestore"
)

// A program that may be killed keeps its jobs in a directory. Here the first
// life ends while one job runs and another one waits; the second life is told
// what became of each, and decides.
func Example() {
	dir, err := os.MkdirTemp("", "jobs")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	if err := firstLife(dir); err != nil {
		fmt.Println(err)
		return
	}

	store, err := filestore.Open(filepath.Join(dir, "copy"))
	if err != nil {
		fmt.Println(err)
		return
	}
	e, err := executor.New(executor.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	s, recovered, err := jobs.New(e, jobs.Config{Store: store})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(recovered)
	for _, f := range recovered.Finished {
		fmt.Printf("%s %s: %s\n", f.ID, f.Outcome.End, f.Outcome.Output)
	}
	for _, id := range recovered.Pending { // safe: it has not run
		h, err := s.Start(context.Background(), id, say(id))
		if err != nil {
			fmt.Println(err)
			return
		}
		o, err := h.Wait(context.Background())
		fmt.Printf("%s %s: %s, %v\n", id, o.End, o.Output, err)
	}
	fmt.Println(errors.Join(s.Close(context.Background()), e.Shutdown(context.Background()), store.Close()))
	// Output:
	// recovered 1 finished, 1 interrupted ("slow") and 1 pending ("waits")
	// quick completed: quick is done
	// waits completed: waits is done, <nil>
	// <nil>
}

func say(id string) jobs.Job {
	return jobs.Job{Run: func(context.Context, *executor.Worker) ([]byte, error) { return []byte(id + " is done"), nil }}
}

// firstLife copies the log while it runs, which is what a crash would leave.
func firstLife(dir string) error {
	ctx := context.Background()
	store, err := filestore.Open(filepath.Join(dir, "store"))
	if err != nil {
		return err
	}
	e, err := executor.New(executor.Config{Workers: 1})
	if err != nil {
		return err
	}
	s, _, err := jobs.New(e, jobs.Config{Store: store})
	if err != nil {
		return err
	}
	quick, err := s.Start(ctx, "quick", say("quick"))
	if err != nil {
		return err
	}
	if _, err := quick.Wait(ctx); err != nil {
		return err
	}
	running, crash := make(chan struct{}), make(chan struct{})
	_, err = s.Start(ctx, "slow", jobs.Job{Run: func(context.Context, *executor.Worker) ([]byte, error) {
		close(running)
		<-crash
		return nil, nil
	}})
	if err != nil {
		return err
	}
	<-running
	if _, err := s.Start(ctx, "waits", say("waits")); err != nil {
		return err
	}
	err = copyLog(filepath.Join(dir, "copy"), filepath.Join(dir, "store"))
	close(crash)
	return errors.Join(err, s.Close(ctx), e.Shutdown(ctx), store.Close())
}

func copyLog(to, from string) error {
	data, err := os.ReadFile(filepath.Join(from, "jobs.log"))
	if err == nil {
		err = os.Mkdir(to, 0o700)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(to, "jobs.log"), data, 0o600)
	}
	return err
}
