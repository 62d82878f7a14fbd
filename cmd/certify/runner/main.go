// Runner is the process of one repetition. `certify run` and `certify soak`
// build it, once with -race and once without, and start it; it is not for
// people.
package main

import (
	"os"

	"github.com/exactlyonce/certify/soak"
	"github.com/exactlyonce/certify/soak/faulty"
)

func main() { os.Exit(soak.Repetition(os.Args[1:], soak.Given{soak.CanaryName: faulty.Subjects()})) }
