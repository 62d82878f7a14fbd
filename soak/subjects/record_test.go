package subjects_test

import (
	"context"
	"flag"
	"fmt"
	"strings"
	"sync"

	"github.com/exactlyonce/certify/hardening/recorded"
	"github.com/exactlyonce/certify/reports/rundir"
)

var recordTo = flag.String("record", "", "write the verdicts on public modules to this file")

// verdict is what the repetitions of a drill said of a subject.
type verdict struct {
	Module  string  `json:"module"` // path@version
	Subject string  `json:"subject"`
	Drill   string  `json:"drill"`
	Verdict string  `json:"verdict"`
	Reason  string  `json:"reason,omitempty"`
	Seconds float64 `json:"seconds"`
}

// moduleOf is where the subjects of these tests are from.
var moduleOf = map[string]string{
	"injector-xsync-mpmc":                "github.com/puzpuzpuz/xsync/v3",
	"injector-workiva-ring":              "github.com/Workiva/go-datastructures",
	"injector-gnet-list":                 "github.com/panjf2000/gnet/v2",
	"injector-gnet-length":               "github.com/panjf2000/gnet/v2",
	"injector-gammazero-deque-unguarded": "github.com/gammazero/deque",
	"workerpool":                         "github.com/gammazero/workerpool",
	"pond":                               "github.com/alitto/pond",
}

var verdicts struct {
	sync.Mutex
	all []verdict // guarded by the mutex
}

// remember keeps the verdicts of a run on subjects that are from public modules.
func remember(dir string) error {
	c, err := rundir.Read(dir)
	if err != nil {
		return nil // it never got so far, as it should be for some
	}
	verdicts.Lock()
	defer verdicts.Unlock()
	for _, r := range c.Records {
		for _, p := range r.Key.Params {
			path := moduleOf[p.Value]
			if p.Name != "executor" && p.Name != "injector" || path == "" {
				continue
			}
			version := ""
			for pin := range c.Pins {
				if v, found := strings.CutPrefix(pin, "module "+path+"@"); found {
					version = v
				}
			}
			if version == "" {
				return fmt.Errorf("no version of %s in %s", path, dir)
			}
			verdicts.all = append(verdicts.all, verdict{path + "@" + version, p.Value, r.Key.Drill,
				r.Verdict.String(), string(r.Reason), float64(r.ElapsedNs/1e7) / 100})
		}
	}
	return nil
}

// writeRecord writes what was remembered, if that was asked for.
func writeRecord() error {
	return recorded.Write(*recordTo, struct {
		recorded.Head
		Subjects []verdict `json:"subjects"`
	}{recorded.Now(context.Background()), verdicts.all})
}
