package main

import (
	"strings"
)

// preset is a choice of defaults, by how long they take on two processors. What a
// flag, the environment or certify.toml says goes before it.
type preset struct {
	name, about string
	flags       map[string]string
	share       int // of the tasks that a drill has: one in so many; 0 is all
}

var presets = []preset{
	{"quick", "a minute", map[string]string{"drill": "all", "reps": "1", "stall": "20s"}, 2},
	{"standard", "ten minutes", map[string]string{"drill": "all", "reps": "6"}, 0},
	{"certify", "the card: 100 repetitions", map[string]string{"drill": "exactly-once", "reps": "100", "tasks": "1000000"}, 0},
	{"tough", "hours", map[string]string{"drill": "all", "injector": "all", "deque": "all", "workers": "1,2,0", "reps": "100"}, 0},
}

func presetNames() string {
	var names []string
	for _, p := range presets {
		names = append(names, p.name+" ("+p.about+")")
	}
	return strings.Join(names, ", ")
}

// usePreset fills in the flags that nobody has said anything of.
func (f *planFlags) usePreset() error {
	if f.preset == "" {
		return nil
	}
	for _, p := range presets {
		if p.name != f.preset {
			continue
		}
		f.share = p.share
		for flag, value := range p.flags {
			if f.set.Changed(flag) {
				continue
			}
			if err := f.set.Set(flag, value); err != nil {
				return usage("preset %s: --%s %s: %w", p.name, flag, value, err)
			}
			f.sources[flag] = f.given("preset") + " " + p.name + ": " + flag
		}
		return nil
	}
	return usage("%s %q: there are %s", f.given("preset"), f.preset, presetNames())
}
