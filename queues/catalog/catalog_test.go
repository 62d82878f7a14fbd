package catalog

import (
	"errors"
	"slices"
	"testing"

	"github.com/exactlyonce/certify/queues"
)

func TestBackends(t *testing.T) {
	type key struct {
		kind queues.Kind
		name string
	}
	var got []key
	for _, b := range Backends[int]() {
		if err := b.Validate(); err != nil {
			t.Error(err)
		}
		if b.About == "" {
			t.Errorf("%s %s says nothing about itself", b.Kind(), b.Name)
		}
		k := key{b.Kind(), b.Name}
		if slices.Contains(got, k) {
			t.Errorf("two back ends are called %v", k)
		}
		got = append(got, k)
	}
	want := []key{{queues.KindInjector, "mutex"}, {queues.KindInjector, "msqueue"},
		{queues.KindInjector, "sharded"}, {queues.KindInjector, "scq"}, {queues.KindInjector, "segment"},
		{queues.KindDeque, "mutex"}, {queues.KindDeque, "chaselev"}, {queues.KindDeque, "claim"}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestFind(t *testing.T) {
	for _, b := range Backends[int]() {
		find := Injector[int]
		if b.Kind() == queues.KindDeque {
			find = Deque[int]
		}
		if got, err := find(b.Name); err != nil || got.Name != b.Name || got.Kind() != b.Kind() {
			t.Errorf("found %s %s, error %v, for %s %s", got.Kind(), got.Name, err, b.Kind(), b.Name)
		}
	}
	_, err := Deque[int]("msqueue")
	var unknown *UnknownError
	if !errors.As(err, &unknown) || unknown.Name != "msqueue" || unknown.Kind != queues.KindDeque {
		t.Fatalf("error %#v", err)
	}
	if got, want := err.Error(), `catalog: no deque "msqueue"; there are: mutex, chaselev, claim`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
