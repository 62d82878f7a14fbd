package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// exits CODE COMMAND ... runs the command, which must end with that code.
func exits(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	if err != nil {
		ts.Fatalf("exits: %v", err)
	}
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// jsonFields FIELD ... holds when the output was one JSON object with exactly
// these fields, and sets JSON_FIELD to each that is a text or a number.
func jsonFields(ts *testscript.TestScript, _ bool, args []string) {
	dec := json.NewDecoder(strings.NewReader(ts.ReadFile("stdout")))
	var doc map[string]any
	if err := dec.Decode(&doc); err != nil {
		ts.Fatalf("json: %v", err)
	}
	if _, err := dec.Token(); err != io.EOF {
		ts.Fatalf("json: more than one document")
	}
	slices.Sort(args)
	if got := slices.Sorted(maps.Keys(doc)); !slices.Equal(got, args) {
		ts.Fatalf("json: fields %v, want %v", got, args)
	}
	for k, v := range doc {
		ts.Setenv("JSON_"+k, fmt.Sprint(v))
	}
}

// repeat CODE runs the command that the output names to repeat a failure.
func repeat(ts *testscript.TestScript, neg bool, args []string) {
	_, command, ok := strings.Cut(ts.ReadFile("stdout"), "repeat: ")
	if !ok {
		ts.Fatalf("the output names no command that repeats it")
	}
	command, _, _ = strings.Cut(command, "\n")
	exits(ts, neg, append(args, strings.Fields(command)...))
}

// log REP DIR TEXT holds when the log of that repetition has the text.
func logOf(ts *testscript.TestScript, _ bool, args []string) {
	logs, err := filepath.Glob(filepath.Join(ts.MkAbs(args[1]), "logs", "*,rep="+args[0]+".log"))
	ts.Check(err)
	if len(logs) != 1 {
		ts.Fatalf("log: %d of repetition %s, want one", len(logs), args[0])
	}
	if text := ts.ReadFile(logs[0]); !strings.Contains(text, args[2]) {
		ts.Fatalf("log: no %q in\n%.1000s", args[2], text)
	}
}

// append FILE TEXT writes a line to the end of a file.
func appendText(ts *testscript.TestScript, _ bool, args []string) {
	f, err := os.OpenFile(ts.MkAbs(args[0]), os.O_APPEND|os.O_WRONLY, 0)
	ts.Check(err)
	_, err = f.WriteString(args[1] + "\n")
	ts.Check(errors.Join(err, f.Close()))
}

// cut DIR BYTES takes as many from the end of the results.
func cut(ts *testscript.TestScript, _ bool, args []string) {
	name := filepath.Join(ts.MkAbs(args[0]), "results.jsonl")
	info, err := os.Stat(name)
	ts.Check(err)
	n, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	ts.Check(os.Truncate(name, info.Size()-n))
}

// which DIR COMMAND puts the command into a directory.
func which(ts *testscript.TestScript, _ bool, args []string) {
	path, err := exec.LookPath(args[1])
	ts.Check(err)
	ts.Check(os.Symlink(path, filepath.Join(ts.MkAbs(args[0]), args[1])))
}

// removeall PATTERN removes the files that match, of which there must be one at
// least.
func removeAll(ts *testscript.TestScript, _ bool, args []string) {
	names, err := filepath.Glob(ts.MkAbs(args[0]))
	if err != nil || len(names) == 0 {
		ts.Fatalf("%s: %d files, %v", args[0], len(names), err)
	}
	for _, name := range names {
		ts.Check(os.Remove(name))
	}
}
