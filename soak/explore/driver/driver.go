// Package driver is the main function of explorers: programs that are built of back
// ends, reclaimers and our own protocols, with the shims underneath, by package survey.
package driver

import (
	"io"
	"slices"

	"github.com/exactlyonce/certify/queues"
	"github.com/exactlyonce/certify/soak/explore/control"
	"github.com/exactlyonce/certify/soak/explore/limbo"
	"github.com/exactlyonce/certify/soak/explore/protocol"
	"github.com/exactlyonce/certify/soak/explore/scenario"
)

// Subjects are what an explorer was built of.
type Subjects struct {
	Backends   []queues.Backend[*scenario.Item]
	Reclaimers []limbo.Reclaimer
}

const module = "github.com/exactlyonce/certify/"

// The kinds of subjects, as the first argument of an explorer says them.
const (
	Backend   = "backend"
	Reclaimer = "reclaimer"
	Protocol  = "protocol"
)

// Main explores one kind of subject: args begin with -backend, -reclaimer or -protocol
// and a name, which is empty for all. What one kind looks into is a single step to
// the others: queues retire so few nodes in a small program that no epoch ends, and
// protocols do not depend on how a queue works inside.
func Main(s Subjects, args []string, out, complaints io.Writer) int {
	kind := func(name string) bool { return slices.Contains(args[:min(1, len(args))], "-"+name) }
	switch {
	case kind(Reclaimer):
		control.LookInto(module + "queues/epoch")
		return limbo.Main(s.Reclaimers, args, out, complaints)
	case kind(Protocol):
		return protocol.Main(args, out, complaints)
	}
	control.LookInto(module + "queues/mutex")
	return scenario.Main(s.Backends, args, out, complaints)
}
