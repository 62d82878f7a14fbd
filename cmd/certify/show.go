package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/exactlyonce/certify/soak/campaign"
)

// planned is what certify plan prints.
type planned struct {
	Plan   string         `json:"plan"` // SHA-256 of plan.json, by which shards are merged
	Seed   uint64         `json:"seed,string"`
	Shard  string         `json:"shard"` // which is shown; empty for all
	Total  int            `json:"total"` // repetitions of what is shown
	About  float64        `json:"aboutSec"`
	Shards []plannedShard `json:"shards"` // one, unless there are more
}

type plannedShard struct {
	Shard  string         `json:"shard"` // such as 2/4; empty for all of it
	About  float64        `json:"aboutSec"`
	Groups []plannedGroup `json:"groups"`
}

type plannedGroup struct {
	Name        string   `json:"name"`
	Subjects    []string `json:"subjects"`
	Repetitions int      `json:"repetitions"` // of all subjects
	About       float64  `json:"aboutSec"`
}

func planCommand() *cobra.Command {
	f := planFlags{canaries: true}
	var shards int
	c := &cobra.Command{
		Use:   "plan",
		Short: "What would run: the comparison groups, how long they take, and which shard has which",
		Long: `Plan takes the flags of run, runs nothing, and writes nothing.

A comparison group stays on one machine: all its subjects and repetitions, for
figures of two machines do not compare. The times are those of a machine of two
processors.`,
		Example: `  certify plan --preset standard
  certify plan --drill all --shards 4 --seed 1   # how four machines would share it
  certify plan --drill all --shard 2/4 --seed 1  # what the second would do`,
		Args: noArgs,
	}
	f.define(c, cardReps)
	c.Flags().IntVar(&shards, "shards", 1, "deal the groups out to so many machines")
	c.RunE = func(c *cobra.Command, _ []string) error {
		defer f.imports.discard()
		plan, err := f.resolve(c)
		if err != nil {
			return err
		}
		if f.shard.Part() {
			shards = f.shard.Of
		}
		p, err := f.show(plan, shards)
		if err != nil {
			return err
		}
		if asJSON(c) {
			return printJSON(c.OutOrStdout(), p)
		}
		p.print(c.OutOrStdout())
		return nil
	}
	return c
}

func (f *planFlags) show(plan campaign.Plan, n int) (p planned, err error) {
	data, err := plan.Encode()
	if err != nil {
		return p, err
	}
	p = planned{Plan: hash(string(data)), Seed: plan.Seed, Shards: []plannedShard{}}
	shards, err := plan.Shards(n)
	if err != nil {
		return p, usage("--shards %d: %w", n, err)
	}
	for i, groups := range shards {
		if f.shard.Part() && i+1 != f.shard.Index {
			continue
		}
		s := plannedShard{Groups: []plannedGroup{}}
		if n > 1 {
			s.Shard = fmt.Sprintf("%d/%d", i+1, n)
		}
		for _, g := range groups {
			s.add(g, plan.Reps)
			p.Total += len(g.Cells) * plan.Reps
		}
		p.About = max(p.About, s.About) // at once
		p.Shards = append(p.Shards, s)
	}
	if f.shard.Part() {
		p.Shard = f.shard.String()
	}
	return p, nil
}

func (s *plannedShard) add(g campaign.Group, reps int) {
	row := plannedGroup{Name: g.Name, Repetitions: len(g.Cells) * reps, About: g.Cost.Seconds()}
	for _, c := range g.Cells {
		var words []string
		for _, p := range c.Subject.Params() {
			words = append(words, p.Name+"="+p.Value)
		}
		row.Subjects = append(row.Subjects, strings.Join(words, "/"))
	}
	s.Groups = append(s.Groups, row)
	s.About += row.About
}

func (p planned) print(w io.Writer) {
	fmt.Fprintf(w, "%s, about %s on a machine of two processors\n", plural(p.Total, "repetition"), aboutText(p.About))
	fmt.Fprintf(w, "plan %.8s, seed %d\n", p.Plan, p.Seed)
	for _, s := range p.Shards {
		if s.Shard != "" {
			fmt.Fprintf(w, "shard %s, about %s\n", s.Shard, aboutText(s.About))
		}
		for _, g := range s.Groups {
			fmt.Fprintf(w, "  %s: %s, about %s\n", g.Name, plural(g.Repetitions, "repetition"), aboutText(g.About))
			for _, subject := range g.Subjects {
				fmt.Fprintf(w, "    %s\n", subject)
			}
		}
	}
}

func aboutText(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second))
	switch {
	case d < time.Minute:
		return d.Round(time.Second).String()
	case d < time.Hour:
		return fmt.Sprintf("%.0f min", d.Minutes())
	}
	return fmt.Sprintf("%.1f h", d.Hours())
}
