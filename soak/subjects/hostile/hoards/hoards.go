// Package hoards takes memory, and gives none back.
package hoards

import (
	"sync"

	"github.com/exactlyonce/certify/soak"
	"github.com/exactlyonce/certify/soak/subjects/hostile"
)

// Executors has it.
func Executors() []soak.Executor {
	return hostile.Pool{AfterTask: hoard}.Executors("hoards", "8 MiB a task")
}

var (
	mu   sync.Mutex
	kept [][]byte
)

func hoard() {
	block := make([]byte, 8<<20)
	for i := 0; i < len(block); i += 4096 {
		block[i] = 1
	}
	mu.Lock()
	defer mu.Unlock()
	kept = append(kept, block)
}
