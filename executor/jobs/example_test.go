package jobs_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/executor/jobs"
)

// A job is cancelled by its id while it runs. Finalize sees how it ended, and
// by then nobody can change that any more.
func Example() {
	ctx := context.Background()
	e, err := executor.New(executor.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	s, _, err := jobs.New(e, jobs.Config{Capacity: 10})
	if err != nil {
		fmt.Println(err)
		return
	}

	running := make(chan struct{})
	h, err := s.Start(ctx, "build-17", jobs.Job{
		Run: func(ctx context.Context, _ *executor.Worker) ([]byte, error) {
			close(running)
			<-ctx.Done()
			return nil, ctx.Err()
		},
		Finalize: func(_ context.Context, o jobs.Outcome) error {
			fmt.Println("finalize:", o.End)
			fmt.Println("too late:", errors.Is(s.Cancel("build-17", nil), jobs.ErrFinalizing))
			return nil
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	<-running
	_, err = s.Start(ctx, "build-17", jobs.Job{Run: func(context.Context, *executor.Worker) ([]byte, error) { return nil, nil }})
	fmt.Println(err)
	if err := s.Cancel("build-17", errors.New("superseded by build-18")); err != nil {
		fmt.Println(err)
	}

	_, err = h.Wait(ctx)
	fmt.Println(err)
	fmt.Println(errors.Join(s.Close(ctx), e.Shutdown(ctx)))
	// Output:
	// jobs: start "build-17": duplicate id: the other is running
	// finalize: cancelled
	// too late: true
	// jobs: job "build-17": job cancelled: superseded by build-18
	// <nil>
}
