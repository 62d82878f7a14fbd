package epoch

import (
	"fmt"
	"os"
	"strconv"
	"testing"
)

// The tests of this file play random scripts of pins, unpins, retires and
// advances, all in one goroutine, against a model that knows which pins may
// hold which object. An advance is two operations, a look at the slots and the
// CAS, so that everything also happens between them. Reclaimers with one fault
// each show that the model sees it.

// reclaimer is a Domain, or a faulty one.
type reclaimer interface {
	pin(actor int) any        // a pin of one of the actors, perhaps nested
	unpin(actor int, pin any) // in any order
	retire(pin any, o *thing)
	look()   // the first half of an advance by somebody else
	commit() // the second half; without a look before it, nothing
	limbo() int
}

// real is the Domain under test.
type real struct {
	*Domain[thing]
	homes []Home[thing]
	now   uint64
	ready bool
}

func (r *real) pin(actor int) any        { return r.homes[actor].Pin() }
func (r *real) unpin(_ int, pin any)     { pin.(Guard[thing]).Unpin() }
func (r *real) retire(pin any, o *thing) { pin.(Guard[thing]).Retire(o) }
func (r *real) limbo() int               { return r.Stats().LimboHigh }

func (r *real) look() {
	r.now = r.epoch.Load()
	r.ready, _ = r.agreed(r.now, nil)
}

func (r *real) commit() {
	if r.ready {
		r.epoch.CompareAndSwap(r.now, r.now+step)
	}
	r.ready = false
}

// toy is a plain reclaimer with a fault.
type toy struct {
	fault    string
	reclaim  func(*thing)
	epoch    int
	shown    []map[int]int // actor -> pin -> epoch
	next     int
	resting  []toyRetired
	high     int
	ready    bool
	observed int
}

type toyRetired struct {
	o   *thing
	tag int
}

type toyPin struct{ actor, id int }

func (r *toy) pin(actor int) any {
	if r.fault == "nested pin renews the outer one" {
		for id := range r.shown[actor] {
			r.shown[actor][id] = r.epoch
		}
	}
	r.next++
	r.shown[actor][r.next] = r.epoch
	return toyPin{actor, r.next}
}

func (r *toy) unpin(actor int, pin any) {
	delete(r.shown[actor], pin.(toyPin).id)
	if r.fault == "first unpin ends all pins" {
		clear(r.shown[actor])
	}
}

func (r *toy) retire(_ any, o *thing) {
	r.resting = append(r.resting, toyRetired{o, r.epoch})
	if len(r.resting) > 6 && r.fault != "limbo without bound" {
		r.resting = r.resting[3:]
	}
	r.high = max(r.high, len(r.resting))
	r.advance(r.epoch, r.agreed())
	r.collect()
}

func (r *toy) agreed() bool {
	for _, pins := range r.shown {
		for _, e := range pins {
			if e != r.epoch && r.fault != "advance ignores pins" {
				return false
			}
		}
	}
	return true
}

func (r *toy) advance(from int, agreed bool) {
	if agreed && from == r.epoch {
		r.epoch++
	}
}

func (r *toy) collect() {
	age := 2
	if r.fault == "reuse after one epoch" {
		age = 1
	}
	for len(r.resting) > 0 && r.epoch-r.resting[0].tag >= age {
		r.reclaim(r.resting[0].o)
		r.resting = r.resting[1:]
	}
}

func (r *toy) look()      { r.observed, r.ready = r.epoch, r.agreed() }
func (r *toy) commit()    { r.advance(r.observed, r.ready); r.ready = false }
func (r *toy) limbo() int { return r.high }

const actors = 3

func newReal(start uint64) func(func(*thing)) reclaimer {
	return func(reclaim func(*thing)) reclaimer {
		c := config(start)
		c.Reclaim = func(o *thing) bool { reclaim(o); return true }
		r := &real{Domain: New(c)}
		for range actors {
			r.homes = append(r.homes, r.Home())
		}
		return r
	}
}

func newToy(fault string) func(func(*thing)) reclaimer {
	return func(reclaim func(*thing)) reclaimer {
		r := &toy{fault: fault, reclaim: reclaim}
		for range actors {
			r.shown = append(r.shown, map[int]int{})
		}
		return r
	}
}

// livePin is a pin of the script.
type livePin struct {
	actor int
	pin   any
}

// play runs one script of a hundred steps. It returns how often an object was
// reclaimed, and the first thing that is wrong.
func play(seed uint64, maker func(func(*thing)) reclaimer) (reclaimed int, err error) {
	var pins []*livePin
	holders := map[*thing][]*livePin{} // pins that were there before the retire
	r := maker(func(o *thing) {
		for _, h := range holders[o] {
			for _, p := range pins {
				if h == p && err == nil {
					err = fmt.Errorf("object %d was reclaimed while a pin of actor %d may hold it", o.id, p.actor)
				}
			}
		}
		if _, ok := holders[o]; !ok && err == nil {
			err = fmt.Errorf("object %d was reclaimed twice", o.id)
		}
		delete(holders, o)
		reclaimed++
	})
	rng := dice(seed)
	for i := range 100 {
		switch op := rng.IntN(7); {
		case op == 0 && len(pins) < 6:
			actor := rng.IntN(actors)
			pins = append(pins, &livePin{actor, r.pin(actor)})
		case op == 1 && len(pins) > 0:
			k := rng.IntN(len(pins))
			p := pins[k]
			pins = append(pins[:k:k], pins[k+1:]...)
			r.unpin(p.actor, p.pin)
		case op == 2:
			r.look()
		case op == 3:
			r.commit()
		default:
			o := &thing{id: i}
			actor := rng.IntN(actors)
			own := r.pin(actor)
			holders[o] = append([]*livePin(nil), pins...) // unlinked here
			r.retire(own, o)
			r.unpin(actor, own)
		}
	}
	if high := r.limbo(); high > 6 && err == nil {
		err = fmt.Errorf("%d objects in limbo, want at most 6", high)
	}
	return reclaimed, err
}

// TestScripts: the Domain keeps the model's rule in all scripts, at all starts.
func TestScripts(t *testing.T) {
	first := uint64(0)
	n := uint64(4000)
	if s, err := strconv.ParseUint(os.Getenv("CERTIFY_SEED"), 10, 64); err == nil {
		first, n = s, 1
	}
	total := 0
	for seed := first; seed < first+n; seed++ {
		got, err := play(seed, newReal(starts[seed%uint64(len(starts))]))
		if err != nil {
			t.Fatalf("%v\nrepeat: CERTIFY_SEED=%d go test -run TestScripts .", err, seed)
		}
		total += got
	}
	if total == 0 && n > 1 {
		t.Error("vacuous: nothing was ever reclaimed")
	}
}

// TestFaultyReclaimers: each fault is found, and the toy without one is not
// accused. The scripts are the same each time, so these are no matter of luck.
func TestFaultyReclaimers(t *testing.T) {
	kills := func(fault string) (n int) {
		for seed := range uint64(1000) {
			if _, err := play(seed, newToy(fault)); err != nil {
				n++
			}
		}
		return n
	}
	if n := kills(""); n != 0 {
		t.Errorf("the control was accused by %d scripts", n)
	}
	for _, fault := range []string{"nested pin renews the outer one", "first unpin ends all pins",
		"advance ignores pins", "reuse after one epoch", "limbo without bound"} {
		if n := kills(fault); n == 0 {
			t.Errorf("%s: survived 1000 scripts", fault)
		} else {
			t.Logf("%s: killed by %d of 1000 scripts", fault, n)
		}
	}
}
