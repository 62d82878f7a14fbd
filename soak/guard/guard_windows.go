package guard

import (
	"errors"
	"fmt"
	"math"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Tree returns the memory of the process pid and its descendants: Windows has
// no process groups. A process that is gone is empty.
func Tree(pid int) (Usage, error) {
	if pid <= 4 || pid > math.MaxInt32 {
		return Usage{}, fmt.Errorf("guard: tree of process %d: not a process of ours", pid)
	}
	parents, err := snapshot()
	if err != nil {
		return Usage{}, fmt.Errorf("guard: tree of process %d: %w", pid, err)
	}
	var u Usage
	for member := range descendants(parents, uint32(pid)) {
		c, err := counters(member)
		if errors.Is(err, windows.ERROR_INVALID_PARAMETER) {
			continue // ended in the meantime
		}
		if err != nil {
			return Usage{}, fmt.Errorf("guard: tree of process %d: process %d: %w", pid, member, err)
		}
		u.RSSB += int64(c.workingSetB)
		u.PIDs = append(u.PIDs, int(member))
	}
	return u, nil
}

// snapshot returns the parent of every process there is.
func snapshot() (map[uint32]uint32, error) {
	handle, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPPROCESS, 0)
	if err != nil {
		return nil, err
	}
	defer windows.CloseHandle(handle)
	parents := map[uint32]uint32{}
	entry := windows.ProcessEntry32{Size: uint32(unsafe.Sizeof(windows.ProcessEntry32{}))}
	for err = windows.Process32First(handle, &entry); err == nil; err = windows.Process32Next(handle, &entry) {
		parents[entry.ProcessID] = entry.ParentProcessID
	}
	if !errors.Is(err, windows.ERROR_NO_MORE_FILES) {
		return nil, err
	}
	return parents, nil
}

func descendants(parents map[uint32]uint32, pid uint32) map[uint32]bool {
	in := map[uint32]bool{pid: true}
	for more := true; more; {
		more = false
		for p, parent := range parents {
			if !in[p] && in[parent] {
				in[p], more = true, true
			}
		}
	}
	return in
}

// memoryCounters is PROCESS_MEMORY_COUNTERS of <psapi.h>.
type memoryCounters struct {
	sizeB, _                     uint32
	peakWorkingSetB, workingSetB uintptr
	_                            [6]uintptr
}

var getProcessMemoryInfo = windows.NewLazySystemDLL("kernel32.dll").NewProc("K32GetProcessMemoryInfo")

func counters(pid uint32) (memoryCounters, error) {
	var c memoryCounters
	handle, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, pid)
	if err != nil {
		return c, err
	}
	defer windows.CloseHandle(handle)
	c.sizeB = uint32(unsafe.Sizeof(c))
	ok, _, err := getProcessMemoryInfo.Call(uintptr(handle), uintptr(unsafe.Pointer(&c)), uintptr(c.sizeB))
	if ok == 0 {
		return c, err
	}
	return c, nil
}

// SelfPeak returns the peak of this process's working set.
func SelfPeak() (int64, error) {
	c, err := counters(windows.GetCurrentProcessId())
	if err != nil {
		return 0, fmt.Errorf("guard: own peak: %w", err)
	}
	return int64(c.peakWorkingSetB), nil
}
