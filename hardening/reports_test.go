package hardening

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

// report is a public report of something that went wrong.
type report struct {
	id     string // a letter for what it is about: queue, executor, certifier, report
	public string // where it can be read: owner/repository#number
	what   string // went wrong
	// tests of ours that behave as the right answer to it demands, by folder and name.
	tests []string
	kills []kill
	out   string // why there is no test or no kill, or what is narrower about them
}

// kill is a faulty subject of the report's class and the law that must catch it.
type kill struct {
	// subject is the name of a canary of every run; or a test and the name of the row of
	// its table that has the fault, "folder/Test: fault".
	subject string
	law     string
	module  string // that the subject is of, as it is published
}

// groups are the rows by what they are about.
var groups = []struct {
	letter, title string
	rows          []report
}{
	{"Q", "Queues", aboutQueues},
	{"E", "Executors, scopes, cancellation, wakes, jobs", aboutExecutors},
	{"C", "Certifiers", aboutCertifiers},
	{"R", "Benchmark data and reports", aboutReports},
}

func all() (rows []report) {
	for _, g := range groups {
		rows = append(rows, g.rows...)
	}
	return rows
}

var update = flag.Bool("update", false, "write REPORTS.md")

// TestTable holds REPORTS.md against the table.
func TestTable(t *testing.T) {
	var b bytes.Buffer
	writeTable(&b)
	const name = "REPORTS.md"
	if *update {
		if err := os.WriteFile(name, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	was, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(bytes.ReplaceAll(was, []byte("\r\n"), []byte("\n")), b.Bytes()) {
		t.Errorf("%s is not what the table says: go test ./hardening -update", name)
	}
}

func writeTable(b *bytes.Buffer) {
	b.WriteString("# What went wrong elsewhere\n\n" +
		"Public reports of faults in schedulers, queues, certifiers and reports; the test that shows how this project behaves there;\n" +
		"and the faulty subject of that class that must be caught, with the law that catches it. Written by `go test ./hardening -update`.\n" +
		"Names without a path are canaries of every run.\n")
	for _, g := range groups {
		fmt.Fprintf(b, "\n## %s\n\n| id | report | what went wrong | our test | faulty subject: law | note |\n|---|---|---|---|---|---|\n", g.title)
		for _, r := range g.rows {
			var kills []string
			for _, k := range r.kills {
				if k.module != "" {
					k.law += " (" + k.module + ")"
				}
				kills = append(kills, k.subject+": "+k.law)
			}
			cells := []string{r.id, r.public, r.what, strings.Join(r.tests, "<br>"), strings.Join(kills, "<br>"), r.out}
			for i, c := range cells {
				cells[i] = strings.ReplaceAll(c, "|", `\|`)
			}
			fmt.Fprintf(b, "| %s |\n", strings.Join(cells, " | "))
		}
	}
}
