package gate

import "testing"

// BenchmarkRevision is one revision from Admit to Publish.
func BenchmarkRevision(b *testing.B) {
	g := New[string, int]()
	rev := uint64(0)
	for b.Loop() {
		rev++
		t, err := g.Admit(background, "k", rev)
		if err == nil {
			err = t.Start()
		}
		if err == nil {
			err = t.Publish(1)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLatest(b *testing.B) {
	g := New[string, int]()
	t, err := g.Admit(background, "k", 1)
	if err == nil {
		err = t.Start()
	}
	if err == nil {
		err = t.Publish(1)
	}
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, _, ok := g.Latest("k"); !ok {
			b.Fatal("nothing")
		}
	}
}
