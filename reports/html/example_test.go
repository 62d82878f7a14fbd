package html_test

import (
	"bytes"
	"fmt"
	"log"
	"regexp"

	"github.com/exactlyonce/certify/reports"
	"github.com/exactlyonce/certify/reports/html"
	"github.com/exactlyonce/certify/reports/record"
)

// A report says its verdict first, and takes further sections of its maker.
func ExampleWrite() {
	run := &reports.Run{ID: "run-7", Plan: reports.Plan{Keys: []record.Key{{Drill: "exactly-once"}}, Reps: 100}, Verdict: record.Inconclusive, Reason: record.Interrupted}
	run.Groups = []reports.Group{{Key: run.Plan.Keys[0], Planned: 100}}
	history := reports.Section{ID: "history", Title: "Earlier runs", Blocks: []reports.Block{reports.Text("This is the first.")}}
	var page bytes.Buffer
	if err := html.Write(&page, run, history); err != nil {
		log.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`<(?:title|h2)>(.*)</`).FindAllStringSubmatch(page.String(), -1) {
		fmt.Println(m[1])
	}
	// Output:
	// INCONCLUSIVE: run-7
	// What was repeated
	// What to be careful with
	// Machine, build and method
	// What was not checked
	// Earlier runs
	// Raw data
}
