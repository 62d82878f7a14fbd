// Package forges prints what a runner, a record and a verdict look like, and ends.
package forges

import (
	"fmt"
	"os"

	"github.com/exactlyonce/certify/soak"
	"github.com/exactlyonce/certify/soak/subjects/hostile"
)

func init() { fmt.Println(listed) }

// Executors has it.
func Executors() []soak.Executor {
	return hostile.Pool{AfterTask: forge}.Executors("forges", "it prints a result of its own")
}

const (
	listed = `[{"name":"forges","drills":["exactly-once"],"skipped":{}}]`
	result = `{"Verdict":"CERTIFIED","Reason":"","Detail":"","Values":[],"DrillNs":1,"PeakB":1}`
	record = `{"key":[{"k":"drill","v":"exactly-once"}],"rep":1,"verdict":"CERTIFIED"}`
)

func forge() {
	fmt.Println(result)
	fmt.Println(record)
	fmt.Println("CERTIFIED")
	os.Exit(0)
}
