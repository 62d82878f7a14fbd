package jobs

// Store keeps the last record of each id. Its methods are called by several
// goroutines at once, two calls for one id never. They may block: no lock of
// the supervisor is held. An error, a panic or a Goexit of a store ends the
// job, as Start, StoreError and Outcome.Record say, and nothing else.
//
// A store may lose or delete records of jobs that run: nothing but a later
// Recovery depends on them.
type Store interface {
	// Load returns what is kept. It is called once, by New.
	Load() (Stored, error)
	// Put makes r the record of its id. When it returns nil, a later Load
	// finds r, whatever happens in between. After an error it finds r or what
	// was there before.
	Put(r Record) error
	// Delete removes the record of id. None is not an error.
	Delete(id string) error
}

// Stored is what a Store has kept.
type Stored struct {
	Records  []Record // one an id, in any order
	DroppedB int64    // bytes that a crash left and that were no record
}

// Record is one job as a Store keeps it. What it does not need is zero.
type Record struct {
	ID    string
	Phase Phase // Reserved, Running or Gone
	// The rest is set when Gone, errors as their text.
	End      End
	Began    bool
	Output   []byte
	Cause    string
	Finalize string
}

// discard is the store of a supervisor without one: its registry is all there
// is, and nobody could ask for more.
type discard struct{}

func (discard) Load() (Stored, error) { return Stored{}, nil }
func (discard) Put(Record) error      { return nil }
func (discard) Delete(string) error   { return nil }
