package bench

// Item is what the queues of a benchmark carry. It is never written while a
// case runs, so that reading it costs no transfer between processors.
type Item struct{ mark uint64 }

// cycle is how many items there are, a power of two. The i-th push of a run is
// of item i%cycle: a run may have more operations than memory has room for.
const cycle = 4096

// items is written here only. A wrong, missing or repeated item changes the sum
// of the marks, but for a chance of 2^-64.
var items = func() (all [cycle]Item) {
	for i := range all {
		all[i].mark = mix(uint64(i))
	}
	return all
}()

func item(i int) *Item { return &items[uint(i)%cycle] }

// sumOf is the sum of the marks of the first n pushes.
func sumOf(n int) (sum uint64) {
	var whole uint64
	for i := range items {
		whole += items[i].mark
		if i == n%cycle-1 {
			sum = whole
		}
	}
	return sum + whole*uint64(n/cycle)
}

// mix is the output function of the generator SplitMix64: a bijection that
// leaves no pattern.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// toil takes steps steps of Marsaglia's xorshift from x, which is not 0, of
// about a nanosecond each. The result must be used.
func toil(x uint64, steps int) uint64 {
	for range steps {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	return x
}

// share is the part [from, to) of n that the i-th of k gets.
func share(n, k, i int) (from, to int) {
	at := func(i int) int { return n/k*i + min(i, n%k) }
	return at(i), at(i + 1)
}
