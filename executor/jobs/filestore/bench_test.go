package filestore

import (
	"fmt"
	"sync"
	"testing"

	"github.com/exactlyonce/certify/executor/jobs"
)

// BenchmarkPut is one durable record, by so many callers at once.
func BenchmarkPut(b *testing.B) {
	for _, callers := range []int{1, 16} {
		b.Run(fmt.Sprintf("callers=%d", callers), func(b *testing.B) {
			d := &badDisk{}
			s, err := open(b.TempDir(), d)
			if err != nil {
				b.Fatal(err)
			}
			before := d.count("sync")
			var all sync.WaitGroup
			b.ResetTimer()
			for c := range callers {
				all.Go(func() {
					r := jobs.Record{ID: fmt.Sprint(c), Phase: jobs.Reserved}
					for i := c; i < b.N; i += callers {
						if err := s.Put(r); err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			all.Wait()
			b.ReportMetric(float64(d.count("sync")-before)/float64(b.N), "syncs/op")
			if err := s.Close(); err != nil {
				b.Fatal(err)
			}
		})
	}
}
