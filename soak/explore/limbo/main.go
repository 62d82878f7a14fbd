package limbo

import (
	"flag"
	"fmt"
	"io"

	"github.com/exactlyonce/certify/soak/explore/trial"
)

// Main is the main function of an explorer of reclaimers. It prints a line of JSON a
// program and returns 0 if all passed, 1 if something failed, 2 if the arguments
// make no sense.
func Main(reclaimers []Reclaimer, args []string, out, complaints io.Writer) (code int) {
	var j trial.Job
	var size Size
	flags := flag.NewFlagSet("explore", flag.ContinueOnError)
	flags.SetOutput(complaints)
	j.Flags(flags)
	name := flags.String("reclaimer", "", "only this reclaimer")
	flags.IntVar(&size.Word, "word", 3, "most pins and letters of a thread")
	flags.IntVar(&size.Pair, "pair", 5, "most of two threads together")
	if flags.Parse(args) != nil {
		return 2
	}
	if err := j.Check(); err != nil {
		fmt.Fprintln(complaints, err)
		return 2
	}
	for _, r := range reclaimers {
		if *name != "" && r.Name != *name {
			continue
		}
		programs, err := explored(j.Program, size, r)
		if err != nil {
			fmt.Fprintln(complaints, err)
			return 2
		}
		code = max(code, j.Each(r.Name, programs, out))
	}
	return code
}
