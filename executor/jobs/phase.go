package jobs

// Phase is where a job is in its life.
//
//	         Start           the body begins          the body has ended
//	(gone) ────────▶ Reserved ─────────────▶ Running ─────────────────────┐
//	   ▲                │ │                                               │
//	   │ start refused  │ │ cancelled, or its beginning                   │
//	   │                │ │ could not be recorded                         ▼
//	   ├────────────────┘ └──────────────────────────────────────▶ Finalizing
//	   │                                                               │
//	   └───────────────────────────────────────────────────────────────┘
//	                          the end is recorded, or that failed
//
//	Cancel:  ErrUnknown | nil                  | nil       | ErrFinalizing
//	         when gone  | the body never runs  | ctx ends  |
//
// It changes only under the supervisor's mutex. Cancellation closes with the
// step into Finalizing: the end is decided in the same critical section.
type Phase uint8

const (
	// Reserved: the id and a place are taken; the body has not begun. Entered
	// by Start; left when the body begins, or for Finalizing or Gone.
	Reserved Phase = iota + 1
	// Running: the body runs, its beginning is recorded. Entered by the
	// executor's worker, left by it for Finalizing when the body has ended.
	Running
	// Finalizing: the end is decided; Finalize runs and the end is recorded.
	// Left for Gone only.
	Finalizing
	// Gone: the place and the id are free. Never left: a later start of the
	// same id is another job.
	Gone
)

var phases = [...]string{Reserved: "reserved", Running: "running", Finalizing: "finalizing", Gone: "gone"}

func (p Phase) String() string {
	if p < Reserved || p > Gone {
		return "invalid"
	}
	return phases[p]
}
