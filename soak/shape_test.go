package soak_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/exactlyonce/certify/reports/record"
	"github.com/exactlyonce/certify/soak"
)

// What a pool can do is told without one, so that its faults are met by the drills.
func TestPoolsAreToldWithoutOne(t *testing.T) {
	opened := 0
	e := soak.OfPool("counted", "", func(o soak.Options) (soak.Pool, error) {
		opened++
		return openPlain(poolFaults{})(o)
	})
	fits := 0
	for _, d := range soak.Drills() {
		if d.Fits(e) == nil {
			fits++
		}
	}
	if opened > 0 || fits == 0 || fits == len(soak.Drills()) {
		t.Errorf("%d pools were opened, %d of %d drills fit", opened, fits, len(soak.Drills()))
	}
}

// A subject that cannot be made does not hold up who makes it.
func TestNewThatHangs(t *testing.T) {
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	e := soak.OfPool("hangs", "", func(soak.Options) (soak.Pool, error) {
		<-release
		return nil, errors.New("released") // a pool would be in the way of the next test
	})
	o, err := soak.Check(e, soak.Spec{Tasks: 10, Stall: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if o.Verdict != record.Failed || o.Reason != record.Stall || !strings.Contains(o.Detail, "making a subject: it does not come back") {
		t.Errorf("%s (%s): %s", o.Verdict, o.Reason, o.Detail)
	}
}
