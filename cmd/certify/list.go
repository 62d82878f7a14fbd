package main

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/queues"
	"github.com/exactlyonce/certify/queues/catalog"
	"github.com/exactlyonce/certify/soak"
)

// item is one thing that a flag can name.
type item struct {
	Kind  string   `json:"kind"`
	Name  string   `json:"name"`
	About string   `json:"about"`
	More  []string `json:"more,omitempty"` // promises of a back end; law and reason of a drill
}

func listCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "Back ends, executors and drills",
		Args:  noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if asJSON(c) {
				return printJSON(c.OutOrStdout(), items())
			}
			printItems(c.OutOrStdout(), items())
			return nil
		},
	}
}

func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

func items() []item {
	var all []item
	for _, d := range soak.Drills() {
		all = append(all, item{"drill", d.Name, d.Law, []string{d.Why}})
	}
	all = append(all,
		item{"executor", soak.WorkStealingName, "our executor, on an injector and a deque", nil},
		item{"executor", soak.GoroutinesName, soak.Goroutines().About, nil})
	for _, b := range catalog.Backends[executor.Task]() {
		all = append(all, item{b.Kind().String(), b.Name, b.About, promises(b.Promises)})
	}
	return all
}

func promises(p queues.Promises) []string {
	bound := "unbounded"
	if p.Bounded {
		bound = "bounded"
	}
	return []string{p.Order.String(), bound, p.Progress.String(), "memory: " + p.Reclaim.String(), "Len: " + p.Len.String()}
}

func printItems(w io.Writer, all []item) {
	kind := ""
	for _, i := range all {
		if i.Kind != kind {
			kind = i.Kind
			fmt.Fprintf(w, "--%s\n", kind)
		}
		fmt.Fprintf(w, "  %-14s%s\n", i.Name, i.About)
		for _, m := range i.More {
			fmt.Fprintf(w, "  %-14s- %s\n", "", m)
		}
	}
}
