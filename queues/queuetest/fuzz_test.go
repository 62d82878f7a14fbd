package queuetest

import (
	"testing"

	"github.com/exactlyonce/certify/queues"
	"github.com/exactlyonce/certify/queues/catalog"
)

// FuzzModel plays the fuzzer's bytes on all back ends and on a plain list. Run
// it with: go test -run '^$' -fuzz FuzzModel ./queues/queuetest
func FuzzModel(f *testing.F) {
	f.Add(byte(0), uint64(0), []byte{opPush, opPop})
	f.Add(byte(1), uint64(1<<64-1), []byte{opPushMany | 31<<3, opTakeMany | 7<<3, opPopMany | 31<<3, opLen})
	f.Add(byte(3), uint64(1<<32-2), []byte{opPushMany | 4<<3, opTake, opPush, opPush, opDrain, opTake})
	f.Fuzz(func(t *testing.T, capacity byte, start uint64, script []byte) {
		for _, b := range catalog.Backends[Item]() {
			o := queues.Options{Capacity: int(capacity), Start: start}
			if err := newTrial(b, Config{}).replay(o, script); err != nil {
				t.Errorf("%s %s, %+v: %v", b.Kind(), b.Name, o, err)
			}
		}
	})
}
