package deploytest

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestSlurm runs the array and its merge with a Slurm on this machine, whole and with
// a shard killed: see one-node.sh.
func TestSlurm(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes half a minute")
	}
	for _, tool := range []string{"slurmctld", "slurmd", "munged"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("no %s on the PATH: apt-get install slurm-wlm", tool)
		}
	}
	if os.Getuid() != 0 {
		t.Skip("slurmd needs root, to start jobs as their users")
	}
	code, said := execute(t, nil, "scripts/deploy/slurm/one-node.sh")
	t.Log(said)
	if code != 0 || strings.Count(said, "PASS") != 6 {
		t.Errorf("exit %d", code)
	}
}
