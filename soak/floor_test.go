package soak

import "testing"

// TestFloorsAreOfDrills: each is of a drill that there is, and asks for something;
// fewer workers are asked for no more.
func TestFloorsAreOfDrills(t *testing.T) {
	for name, all := range floors {
		if _, err := FindDrill(name); err != nil {
			t.Error(err)
		}
		for _, f := range all {
			if f.Unit == "" || f.Least <= 0 || f.workers < 1 {
				t.Errorf("%s: %+v", name, f)
			}
		}
		if one, two := len(Floors(name, 1)), len(Floors(name, 2)); one > two || two != len(all) {
			t.Errorf("%s: %d floors with a worker, %d with two", name, one, two)
		}
	}
}
