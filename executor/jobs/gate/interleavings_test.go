package gate

import (
	"slices"
	"testing"

	"github.com/exactlyonce/certify/internal/stress"
)

// All interleavings of all pairs and triples of actors on one key, step by
// step, with the gate itself. Triples with the one actor that takes many
// steps are too many and are sampled.
func TestAllInterleavingsG1G2G3G4G5G6(t *testing.T) {
	random := stress.Random(t)
	runs, sets, sampled := 0, 0, 0
	for _, who := range choose(actors) {
		if len(who) == 3 && slices.Contains(names(who), "newer") {
			n := stress.Rounds(2000)
			if err := sample(newOurs, random, n, who...); err != nil {
				t.Fatal(err)
			}
			sampled += n
			continue
		}
		if len(who) == 3 && testing.Short() {
			continue
		}
		n, err := explore(newOurs, who...)
		if err != nil {
			t.Fatal(err)
		}
		runs, sets = runs+n, sets+1
	}
	if sets < 66 || runs < 10000 {
		t.Errorf("only %d interleavings of %d sets", runs, sets)
	}
	t.Logf("%d interleavings, all there are of %d sets of actors; %d others", runs, sets, sampled)
}

// choose returns all pairs and triples.
func choose(from []actor) (sets [][]actor) {
	for i, a := range from {
		for j, b := range from[i+1:] {
			sets = append(sets, []actor{a, b})
			for _, c := range from[i+1+j+1:] {
				sets = append(sets, []actor{a, b, c})
			}
		}
	}
	return sets
}

// The same laws find every fault of a model, and none in the model without.
func TestFaultsAreFoundG1G2G3G4G5G6(t *testing.T) {
	withoutForget := slices.DeleteFunc(slices.Clone(actors), func(a actor) bool { return a.name == "forgetter" })
	for _, fault := range []string{
		"", "equal admitted", "older admitted", "blind store", "publish without swap", "stores what is older",
		"terminal changes", "context goes on", "ticket is kept", "blind admission",
	} {
		var found error
		for _, who := range choose(withoutForget) {
			if len(who) == 2 && found == nil {
				_, found = explore(newModel(fault), who...)
			}
		}
		if (found != nil) != (fault != "") {
			t.Errorf("fault %q: %v", fault, found)
		} else if found != nil {
			t.Logf("fault %q: %.90s", fault, found.Error())
		}
	}
}
