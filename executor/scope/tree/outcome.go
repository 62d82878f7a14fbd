package tree

// End is how a scope ended.
type End uint8

const (
	Completed End = iota
	Failed
	Cancelled
)

func (e End) String() string { return [...]string{"completed", "failed", "cancelled"}[e] }

// Primary is an end with its error, which is nil when Completed. It is also
// why a scope was stopped.
type Primary struct {
	End End
	Err error
}

// Outcome is an end with the errors of cleaning up. The zero Outcome is
// success.
type Outcome struct {
	Primary
	Cleanup Cleanup
}

// Kept is how many errors a Cleanup keeps.
const Kept = 16

// Cleanup is a list of errors of bounded size: the first Kept, and how many
// more there were. It holds them in place because settlement, which fills it,
// must not allocate.
type Cleanup struct {
	errs    [Kept]error
	n       int // Invariant: 0 <= n <= Kept, errs[n:] are nil
	omitted uint64
}

// Add puts err at the end.
func (c *Cleanup) Add(err error) {
	if c.n == Kept {
		c.omitted++
		return
	}
	c.errs[c.n] = err
	c.n++
}

// Append puts all of o at the end, its omissions included.
func (c *Cleanup) Append(o *Cleanup) {
	for _, err := range o.errs[:o.n] {
		c.Add(err)
	}
	c.omitted += o.omitted
}

// Errors are those that were kept, in order.
func (c *Cleanup) Errors() []error { return append([]error(nil), c.errs[:c.n]...) }

// Omitted is how many there were besides.
func (c *Cleanup) Omitted() uint64 { return c.omitted }

// takeFirst removes the first error. The list is not empty.
func (c *Cleanup) takeFirst() error {
	first := c.errs[0]
	copy(c.errs[:], c.errs[1:c.n])
	c.n--
	c.errs[c.n] = nil
	return first
}
