package child

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// group is a job object. Windows kills what is in it when its last handle is
// closed, and so when this process ends, however it ends.
type group struct{ job windows.Handle }

// attributes keep a Ctrl-C at the console for us.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
}

// adopt puts a child that runs already into a job: os/exec has no way to
// resume one that was started suspended.
func adopt(cmd *exec.Cmd, _ string) (group, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return group{}, fmt.Errorf("job: %w", err)
	}
	if err := fillJob(job, cmd.Process.Pid); err != nil {
		return group{}, errors.Join(fmt.Errorf("job: %w", err), windows.CloseHandle(job))
	}
	return group{job}, nil
}

// watch has nothing to do: the job ends with us.
func (group) watch(*os.File) (stop func()) { return func() {} }

func fillJob(job windows.Handle, pid int) error {
	var limits windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err := windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err != nil {
		return err
	}
	process, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(pid))
	if err != nil {
		return err
	}
	return errors.Join(windows.AssignProcessToJobObject(job, process), windows.CloseHandle(process))
}

func (g group) close() { _ = windows.CloseHandle(g.job) }

func (g group) quit() error { return errors.ErrUnsupported }

// killedCode is what Windows reports for a process that we terminated.
const killedCode = 137

// kill ignores that there is nobody left.
func (g group) kill() { _ = windows.TerminateJobObject(g.job, killedCode) }

func (g group) wait(reap func() error) { _ = reap() }

// accounting is JOBOBJECT_BASIC_ACCOUNTING_INFORMATION of <winnt.h>.
type accounting struct {
	userTime, kernelTime, periodUserTime, periodKernelTime int64
	pageFaults, processes, active, terminated              uint32
}

// bury returns how many were alive in the job, unless it was killed with the
// child.
func (g group) bury(killed bool) (int, error) {
	var a accounting
	err := windows.QueryInformationJobObject(g.job, windows.JobObjectBasicAccountingInformation,
		uintptr(unsafe.Pointer(&a)), uint32(unsafe.Sizeof(a)), nil)
	if err != nil {
		return 0, fmt.Errorf("job: %w", err)
	}
	if err := windows.TerminateJobObject(g.job, killedCode); err != nil {
		return 0, fmt.Errorf("job: %w", err)
	}
	if killed {
		return 0, nil
	}
	return int(a.active), nil
}

func signalOf(*os.ProcessState) syscall.Signal { return 0 }

func leads() bool { return true }

// killSelf leaves the others to the job, which ends with the parent.
func killSelf(string) {}
