package monitor

// rule is one pattern that no legal history has.
type rule struct {
	name string
	law  string // what the pattern breaks
	find func(*index) *Violation
	// omit returns why the rule does not apply, or "".
	omit func(Options) string
}

// criterion is a kind of queue: the rules that tell it.
type criterion []rule

// The criteria. The first rules make the later ones simpler: a value is pushed
// once, then taken at most once.
var (
	fifoRules     = join(common, rule{"order", orderLaw, (*index).overtaken, nil}, producerOrder, fifoBatch, whole, empty, overflow, full)
	producerRules = join(common, producerOrder, producerBatch, empty, overflow, full)
	bagRules      = join(common, empty, overflow, full)
	dequeRules    = join(common, dequeRule...)
)

func join(c criterion, more ...rule) criterion { return append(c[:len(c):len(c)], more...) }

const orderLaw = "what was pushed before another value began to be is not taken after it"

var common = criterion{
	{"history", "a history is of calls that could have been made", (*index).malformed, nil},
	{"fresh", "what is taken was pushed, and not later", (*index).unpushed, nil},
	{"repeat", "what is taken is taken once", (*index).repeated, nil},
	{"lost", "what was pushed is taken in the end", (*index).missing, func(o Options) string {
		return unless(o.Drained, "the history ends before the queue is empty")
	}},
}

var (
	producerOrder = rule{"producer-order", "what one producer pushed is taken in its order", (*index).outOfLine, nil}
	producerBatch = rule{"batch-order", "a batch holds what one producer pushed in its order", (*index).shuffledLines, nil}
	fifoBatch     = rule{"batch-order", "a batch is in the order of the pushes", (*index).shuffled, nil}
	whole         = rule{"whole", "a batch that is taken at one moment has no gap", (*index).gap, omitBatch}
	empty         = rule{"empty", "EMPTY needs a moment in the call at which nothing was certainly inside", (*index).neverEmpty, omitEmpty}
	overflow      = rule{"overflow", "no more is inside than fits", (*index).tooMany, omitBound}
	full          = rule{"full", "FULL needs a moment in the call at which no more would fit", (*index).neverFull, func(o Options) string {
		return unless(!o.WeakFull, "FULL is declared weak")
	}}
)

func omitEmpty(o Options) string { return unless(!o.WeakEmpty, "EMPTY is declared weak") }
func omitBatch(o Options) string { return unless(o.AtomicBatch, "batches are not taken at one moment") }
func omitBound(o Options) string { return unless(o.Capacity > 0, "no bound is declared") }

func unless(applies bool, why string) string {
	if applies {
		return ""
	}
	return why
}

// check looks for the first pattern.
func (c criterion) check(h []Op, o Options) *Violation {
	x := newIndex(h, o)
	for _, r := range c {
		if r.name == o.off || r.omit != nil && r.omit(o) != "" {
			continue
		}
		if v := r.find(x); v != nil {
			v.Rule, v.Law = r.name, r.law
			return v
		}
	}
	return nil
}

// Rule is a rule of a criterion, for people.
type Rule struct {
	Name    string `json:"name"`
	Law     string `json:"law"`
	Omitted string `json:"omitted,omitempty"` // why it is not checked; empty if it is
}

// rules lists what check checks and what it leaves out.
func (c criterion) rules(o Options) (all []Rule) {
	for _, r := range c {
		one := Rule{Name: r.name, Law: r.law}
		if r.omit != nil {
			one.Omitted = r.omit(o)
		}
		all = append(all, one)
	}
	return all
}
