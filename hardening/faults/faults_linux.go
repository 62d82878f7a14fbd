package main

// faults are all there are, in the order in which they are run.
func faults() []fault {
	return []fault{
		{"kills", "kill the run, its repetition, or both, at random moments, and resume", kills},
		{"explorer", "kill a run with canaries while a program is explored, and resume", explorers},
		{"disk", "fill the disk, or bound the size of files, while a run goes on", diskFulls},
		{"clock", "set the clock back, between halves of a run and within one", clocks},
		{"truncate", "cut the results at every byte, and resume", truncations},
		{"memory", "give a child that hoards less than it takes", memories},
		{"deaf", "a child that ignores signals and forks away", deaf},
		{"output", "10 MB of output a second from a child", loud},
		{"low-water", "a host below its low-water mark", lowWaters},
	}
}
