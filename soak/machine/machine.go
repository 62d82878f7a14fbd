// Package machine tells what machine and what build a run was made on.
//
// Every fact is a value, or says why it could not be read: a report that
// leaves out what it does not know would look as if it did. No user names,
// no paths, and the host's name only as a hash.
package machine

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"

	"github.com/shirou/gopsutil/v4/cpu"
	"github.com/shirou/gopsutil/v4/host"
	"github.com/shirou/gopsutil/v4/load"
	"github.com/shirou/gopsutil/v4/mem"
)

// Facts are the machine and the build, each a text for people.
type Facts struct {
	GOOS       string `json:"goos"`
	GOARCH     string `json:"goarch"`
	Go         string `json:"go"`
	GOMAXPROCS int    `json:"gomaxprocs"`
	CPU        string `json:"cpu"`
	CPUs       int    `json:"cpus"`
	Memory     string `json:"memory"`
	Kernel     string `json:"kernel"`
	Virtual    string `json:"virtualization"`
	Load       string `json:"load"`
	Pressure   string `json:"psi.cpu"`  // how much tasks waited for a processor, on Linux
	Governor   string `json:"governor"` // of the first processor's clock, on Linux
	Host       string `json:"host"`     // first digits of a hash of its name
	Version    string `json:"certify"`
	Commit     string `json:"commit"`
	// Settings are the environment variables that change how Go runs.
	Settings map[string]string `json:"settings,omitempty"`
}

// Read collects the facts.
func Read(ctx context.Context) Facts {
	f := Facts{
		GOOS: runtime.GOOS, GOARCH: runtime.GOARCH, Go: runtime.Version(),
		GOMAXPROCS: runtime.GOMAXPROCS(0), CPUs: runtime.NumCPU(),
		CPU: cpuModel(ctx), Memory: memory(ctx), Load: loadNow(ctx), Pressure: line(pressureFile), Governor: line(governorFile), Host: hostHash(),
		Settings: settings(),
	}
	f.Kernel, f.Virtual = kernel(ctx)
	f.Version, f.Commit = Build(ctx)
	return f
}

// Class is what two halves of a run must share: results from different
// classes of machine do not make one sample.
func (f Facts) Class() string {
	return fmt.Sprintf("%s/%s %s, %d CPUs", f.GOOS, f.GOARCH, f.CPU, f.CPUs)
}

func unavailable(err error) string { return "unavailable: " + err.Error() }

func cpuModel(ctx context.Context) string {
	infos, err := cpu.InfoWithContext(ctx)
	switch {
	case err != nil:
		return unavailable(err)
	case len(infos) == 0 || infos[0].ModelName == "":
		return "unavailable: not exposed"
	}
	return strings.Join(strings.Fields(infos[0].ModelName), " ")
}

func memory(ctx context.Context) string {
	m, err := mem.VirtualMemoryWithContext(ctx)
	if err != nil {
		return unavailable(err)
	}
	return strconv.FormatUint(m.Total>>20, 10) + " MiB"
}

func loadNow(ctx context.Context) string {
	l, err := load.AvgWithContext(ctx)
	if err != nil {
		return unavailable(err)
	}
	return fmt.Sprintf("%.2f %.2f %.2f", l.Load1, l.Load5, l.Load15)
}

// Where Linux tells of its processors. Other systems, and most virtual machines,
// do not.
const (
	pressureFile = "/proc/pressure/cpu"
	governorFile = "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"
)

// line is the first line of a file of the system.
func line(file string) string {
	data, err := os.ReadFile(file)
	if err != nil {
		return "unavailable: not exposed"
	}
	first, _, _ := strings.Cut(string(data), "\n")
	return first
}

func kernel(ctx context.Context) (version, virtual string) {
	h, err := host.InfoWithContext(ctx)
	if err != nil {
		return unavailable(err), unavailable(err)
	}
	virtual = "none reported"
	if h.VirtualizationSystem != "" {
		virtual = "reported: " + h.VirtualizationSystem + " " + h.VirtualizationRole
	}
	return h.OS + " " + h.KernelVersion, virtual
}

func hostHash() string {
	name, err := os.Hostname()
	if err != nil {
		return unavailable(err)
	}
	return fmt.Sprintf("%x", sha256.Sum256([]byte(name)))[:12]
}

func settings() map[string]string {
	set := map[string]string{}
	for _, name := range []string{"GOMAXPROCS", "GOGC", "GOMEMLIMIT", "GODEBUG", "GOAMD64", "GOEXPERIMENT", "GORACE"} {
		if v, ok := os.LookupEnv(name); ok {
			set[name] = v
		}
	}
	return set
}
