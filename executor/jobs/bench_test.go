package jobs_test

import (
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/executor/jobs"
)

// BenchmarkJob is one job from Start to Wait, with a body that does nothing.
func BenchmarkJob(b *testing.B) {
	for name, store := range map[string]jobs.Store{"none": nil, "memory": &jobs.Memory{}} {
		b.Run("store="+name, func(b *testing.B) {
			e, err := executor.New(executor.Config{})
			if err != nil {
				b.Fatal(err)
			}
			s, _, err := jobs.New(e, jobs.Config{Store: store})
			if err != nil {
				b.Fatal(err)
			}
			var id atomic.Int64
			b.RunParallel(func(pb *testing.PB) {
				for me := strconv.FormatInt(id.Add(1), 10); pb.Next(); {
					h, err := s.Start(background, me, quick(""))
					if err == nil {
						_, err = h.Wait(background)
					}
					if err != nil {
						b.Error(err)
						return
					}
				}
			})
			if err := s.Close(background); err != nil {
				b.Fatal(err)
			}
			if err := e.Shutdown(background); err != nil {
				b.Fatal(err)
			}
		})
	}
}
