// Package flawed has queues with one fault each, and the textbooks that they differ
// from in that: what a certifier of queues must catch, and must let live. It is
// small, so that it can be explored.
package flawed

import (
	"slices"
	"sync/atomic"

	"github.com/exactlyonce/certify/queues"
	"github.com/exactlyonce/certify/reports/record"
)

// Queue is a back end with one fault.
type Queue[T any] struct {
	queues.Backend[T]
	Fault string
	// Killers are the reasons for which it may be caught.
	Killers []record.Reason
	// Rare: it takes a schedule that a soak hardly ever meets; exploration finds it.
	Rare bool
}

var (
	ownerLIFO = queues.Promises{Order: queues.OwnerLIFO, Progress: queues.LockFree}
	fifo      = queues.Promises{Order: queues.FIFO, Progress: queues.LockFree}
)

// Textbook is the deque without a fault.
func Textbook[E any]() queues.Backend[*E] {
	return queues.Backend[*E]{
		Name: "textbook", About: "the deque of Chase and Lev, without recycling", Promises: ownerLIFO,
		Deque: func(o queues.Options) queues.Deque[*E] { return newTextbook[E](o) },
	}
}

// Linked is the injector without a fault.
func Linked[E any]() queues.Backend[*E] {
	return queues.Backend[*E]{
		Name: "linked", About: "the queue of Michael and Scott, without recycling", Promises: fifo,
		Injector: func(o queues.Options) queues.Injector[*E] { return newLinked[E](o) },
	}
}

// Deques are the deques that must be caught.
func Deques[E any]() []Queue[*E] {
	var all []Queue[*E]
	add := func(name, fault string, rare bool, make func(*textbook[E]) queues.Deque[*E], killers ...record.Reason) {
		all = append(all, Queue[*E]{Backend: queues.Backend[*E]{
			Name: name, About: "faulty: " + fault, Promises: ownerLIFO,
			Deque: func(o queues.Options) queues.Deque[*E] { return make(newTextbook[E](o)) },
		}, Fault: fault, Killers: killers, Rare: rare})
	}
	const lost, dup, contract = record.Lost, record.Duplicated, record.Contract
	add("uncontested", "pop takes the last item without racing for it", true, func(d *textbook[E]) queues.Deque[*E] { return uncontested[E]{d} }, dup, lost)
	add("late-read", "a thief reads the slot after it has won", true, func(d *textbook[E]) queues.Deque[*E] { return lateRead[E]{d} }, dup, lost)
	add("short-copy", "growing leaves the newest item behind", false, func(d *textbook[E]) queues.Deque[*E] { return shortCopy[E]{d} }, lost, contract)
	add("early-top", "pop reads top before it reserves the item", true, func(d *textbook[E]) queues.Deque[*E] { return earlyTop[E]{d} }, dup, lost)
	add("stored-top", "a thief moves top by a store", true, func(d *textbook[E]) queues.Deque[*E] { return storedTop[E]{d} }, dup, lost)
	add("stale-ring", "a thief takes the ring before it reads top", true, func(d *textbook[E]) queues.Deque[*E] { return staleRing[E]{d} }, dup, lost)
	add("overfull", "a push into a full ring overwrites the oldest item", false, func(d *textbook[E]) queues.Deque[*E] { return overfull[E]{d} }, lost, dup)
	add("early-publish", "push publishes the item before it is in its slot", true, func(d *textbook[E]) queues.Deque[*E] { return earlyPublish[E]{d} }, dup, lost)
	add("lost-restore", "an owner that lost the last item leaves bottom where it was", true, func(d *textbook[E]) queues.Deque[*E] { return lostRestore[E]{d} }, lost, dup, contract)
	add("calm-thief", "a thief that lost a race says empty", true, func(d *textbook[E]) queues.Deque[*E] { return calmThief[E]{d} }, contract)
	add("greedy", "a batch is taken without regard to what the owner pops", true, func(d *textbook[E]) queues.Deque[*E] { return greedy[E]{d} }, dup, lost)
	add("jealous", "a thief gives up although nobody took anything", false, func(d *textbook[E]) queues.Deque[*E] { return jealous[E]{d, new(atomic.Int64)} }, contract)
	return all
}

// Injectors are the injectors that must be caught.
func Injectors[E any]() []Queue[*E] {
	var all []Queue[*E]
	add := func(name, fault string, rare bool, make func(queues.Options) queues.Injector[*E], killers ...record.Reason) {
		all = append(all, Queue[*E]{Backend: queues.Backend[*E]{
			Name: name, About: "faulty: " + fault, Promises: fifo, Injector: make,
		}, Fault: fault, Killers: killers, Rare: rare})
	}
	const lost, dup, contract, reordered = record.Lost, record.Duplicated, record.Contract, record.Reordered
	add("stored-head", "pop moves head by a store", true, func(o queues.Options) queues.Injector[*E] { return storedHead[E]{newLinked[E](o)} }, dup, lost)
	add("stored-link", "push links its node by a store", true, func(o queues.Options) queues.Injector[*E] { return storedLink[E]{newLinked[E](o)} }, lost)
	add("gap", "push moves tail before it links its node", true, func(o queues.Options) queues.Injector[*E] { return gap[E]{newLinked[E](o)} }, contract, lost)
	add("hasty", "a pop that lost a race says empty", true, func(o queues.Options) queues.Injector[*E] { return hasty[E]{newLinked[E](o)} }, contract)
	add("stack", "the newest item comes first", false, func(queues.Options) queues.Injector[*E] { return &stack[E]{} }, reordered)
	add("overdrawn", "a batch takes one item more than fits", false, func(o queues.Options) queues.Injector[*E] { return overdrawn[E]{newLinked[E](o)} }, lost)
	add("swapped", "a batch goes in with its first two items exchanged", false, func(o queues.Options) queues.Injector[*E] { return swapped[E]{newLinked[E](o)} }, reordered)
	add("late-count", "an item is counted when it is in, and may be out", false, func(o queues.Options) queues.Injector[*E] { return lateCount[E]{newLinked[E](o), new(atomic.Int64)} }, contract)
	add("modulo", "positions of 32 bits wrap where the ring does not", false, newModulo[E], lost, dup, contract, reordered)
	add("reset-tag", "the link of a node that is used again begins with the tag it had", false, func(o queues.Options) queues.Injector[*E] { return newResetTag[E](o) }, reordered)
	add("sidelined", "a push that lost a race is overtaken", false, func(o queues.Options) queues.Injector[*E] { return sidelined[E]{newLinked[E](o), &stack[E]{}} }, reordered)
	for i := range all {
		all[i].Promises.Bounded = all[i].Name == "modulo" || all[i].Name == "reset-tag"
		all[i].Promises.Tentative = all[i].Name == "reset-tag" // what was overtaken cannot be found meanwhile
	}
	return all
}

// Backends are all of them, controls first, in the form in which a package of back
// ends exports them.
func Backends[E any]() []queues.Backend[*E] {
	all := []queues.Backend[*E]{Textbook[E](), Linked[E]()}
	for _, q := range slices.Concat(Equivalent[E](), Deques[E](), Injectors[E]()) {
		all = append(all, q.Backend)
	}
	return all
}
