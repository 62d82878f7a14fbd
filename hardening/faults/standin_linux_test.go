package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// The test binary plays certify when this is set: a right one, or one with a fault.
const standInEnv = "CERTIFY_FAULTS_STAND_IN"

func TestMain(m *testing.M) {
	if fault := os.Getenv(standInEnv); fault != "" {
		os.Exit(standIn{fault: fault}.run(os.Args[1:]))
	}
	os.Exit(m.Run())
}

// standIn keeps a run directory as certify does, as far as the campaign looks.
type standIn struct{ fault, dir string }

func (s standIn) run(args []string) int {
	switch args[0] {
	case "verify":
		return 0
	case "resume":
		s.dir = args[1]
		return s.resume()
	}
	s.dir = args[slices.Index(args, "--out")+1]
	reps := args[slices.Index(args, "--reps")+1]
	plan := fmt.Sprintf(`{"keys": ["a"], "first": 1, "reps": %s}`, reps)
	_ = os.MkdirAll(s.dir, 0o777) // what fails is found out below
	_ = os.WriteFile(filepath.Join(s.dir, "plan.json"), []byte(plan), 0o644)
	_ = os.WriteFile(s.results(), nil, 0o644)
	return s.goOn(nil)
}

func (s standIn) results() string { return filepath.Join(s.dir, "results.jsonl") }

// resume is where most faults are.
func (s standIn) resume() int {
	data, err := os.ReadFile(s.results())
	if err != nil {
		fmt.Fprintln(os.Stderr, "not the directory of a run, not a run, or its creation was cut short")
		return 2
	}
	var rows []row
	data = data[:bytes.LastIndexByte(data, '\n')+1]
	for line := range bytes.Lines(data) {
		var r row
		if json.Unmarshal(line, &r) != nil {
			return 4
		}
		rows = append(rows, r)
	}
	if n := len(rows); n > 0 {
		switch s.fault {
		case "doubles":
			rows = append(rows, s.append(row{Seq: n + 1, Rep: rows[n-1].Rep}))
		case "skips":
			rows = append(rows, row{Seq: n + 1, Rep: rows[n-1].Rep + 1})
		case "forgets":
			rows = rows[:n-1]
			_ = os.Truncate(s.results(), int64(bytes.LastIndexByte(data[:len(data)-1], '\n')+1))
		case "accuses":
			rows = append(rows, s.append(row{Seq: n + 1, Rep: rows[n-1].Rep + 1, Verdict: "FAILED", Reason: "crash", Detail: "killed by signal 9"}))
		case "leaves":
			_ = exec.Command("sleep", "600").Start()
		}
	}
	return s.goOn(rows)
}

// goOn does the repetitions that are not there.
func (s standIn) goOn(rows []row) int {
	data, _ := os.ReadFile(filepath.Join(s.dir, "plan.json"))
	var plan planned
	if json.Unmarshal(data, &plan) != nil {
		return 4
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	var caught atomic.Int32
	go func() { caught.Store(int32((<-signals).(syscall.Signal))) }()
	rep := 0
	if len(rows) > 0 {
		rep = rows[len(rows)-1].Rep
	}
	seq := len(lineEnds(s.results()))
	for rep++; rep <= plan.Reps; rep++ {
		if n := caught.Load(); n != 0 {
			if s.fault != "says nothing" {
				fmt.Fprintln(os.Stderr, "certify: interrupted")
			}
			return 128 + int(n)
		}
		time.Sleep(15 * time.Millisecond) // the work
		seq++
		s.append(row{Seq: seq, Rep: rep})
	}
	if s.fault == "hangs" {
		select {}
	}
	fmt.Println("CERTIFIED")
	return map[bool]int{true: 1}[s.fault == "miscodes"]
}

func lineEnds(name string) (ends []int) {
	data, _ := os.ReadFile(name)
	for i, c := range data {
		if c == '\n' {
			ends = append(ends, i)
		}
	}
	return ends
}

func (s standIn) append(r row) row {
	r.Schema, r.Key, r.ElapsedNs, r.Start = recordSchema, "a", 1, time.Now()
	if r.Verdict == "" {
		r.Verdict = "CERTIFIED"
	}
	line, _ := json.Marshal(r)
	f, err := os.OpenFile(s.results(), os.O_WRONLY|os.O_APPEND, 0)
	if err == nil {
		_, err = f.Write(append(line, '\n'))
		_ = f.Close()
	}
	if err != nil {
		panic(strconv.Quote(s.fault) + ": " + err.Error())
	}
	return r
}
