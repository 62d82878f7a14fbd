package executor

import (
	"bytes"
	"runtime"
	"strconv"
)

// goroutineID reads the running goroutine's number off its stack header,
// "goroutine 18 [running]:". It takes about a microsecond and serves only the
// calls that have to wait, and must do so differently inside a task: a task's
// identity is passed, not looked up, but those calls do not receive it.
func goroutineID() uint64 {
	var buf [64]byte
	header := buf[:runtime.Stack(buf[:], false)]
	header = bytes.TrimPrefix(header, []byte("goroutine "))
	digits, _, _ := bytes.Cut(header, []byte(" "))
	id, _ := strconv.ParseUint(string(digits), 10, 64)
	return id
}
