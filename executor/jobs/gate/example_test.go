package gate_test

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/exactlyonce/certify/executor/jobs/gate"
)

// An editor counts its edits; each begins an analysis of the whole text. The
// analysis of the first edit is still at it when the second comes: it is told
// to stop, and what it found is not shown.
func Example() {
	ctx := context.Background()
	words := gate.New[string, int]()

	first, err := words.Admit(ctx, "notes.txt", 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("start:", first.Start())

	second, err := words.Admit(ctx, "notes.txt", 2) // the next edit
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("the first should stop:", context.Cause(first.Context()))
	fmt.Println("start:", second.Start())
	fmt.Println("publish:", second.Publish(len(strings.Fields("one two three"))))
	fmt.Println(first.Publish(2))

	n, revision, _ := words.Latest("notes.txt")
	fmt.Println(n, "words in edit", revision)

	_, err = words.Admit(ctx, "notes.txt", 2)
	fmt.Println("once more:", errors.Is(err, gate.ErrDuplicateRevision))
	// Output:
	// start: <nil>
	// the first should stop: superseded by a newer revision
	// start: <nil>
	// publish: <nil>
	// gate: publish revision 1: superseded by a newer revision
	// 3 words in edit 2
	// once more: true
}
