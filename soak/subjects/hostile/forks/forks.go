// Package forks starts a process that leaves its group and outlives it.
package forks

import (
	"os/exec"

	"github.com/exactlyonce/certify/soak"
	"github.com/exactlyonce/certify/soak/subjects/hostile"
)

// Executors has it.
func Executors() []soak.Executor {
	return hostile.Pool{AtOpen: fork}.Executors("forks", "a process is left behind")
}

func fork() {
	if err := exec.Command("setsid", "sleep", "86399").Start(); err != nil {
		panic(err)
	}
}
