package monitor

// sortRuns sorts s by its key, and keeps the order of what is equal. It merges the
// runs that are sorted already, pair by pair: a history has few, since each worker's
// calls follow one another. It returns s or a slice as long.
func sortRuns[T any](s []T, key func(*T) int64) []T {
	ends := runs(s, key)
	spare := make([]T, 0)
	if len(ends) > 1 {
		spare = make([]T, len(s))
	}
	for len(ends) > 1 {
		begin, fewer := 0, ends[:0]
		for i := 0; i < len(ends); i += 2 {
			middle, end := ends[i], ends[min(i+1, len(ends)-1)]
			mergeRuns(spare[begin:end], s[begin:middle], s[middle:end], key)
			begin, fewer = end, append(fewer, end)
		}
		ends, s, spare = fewer, spare, s
	}
	return s
}

// runs returns where the sorted runs of s end.
func runs[T any](s []T, key func(*T) int64) (ends []int) {
	for i := 1; i < len(s); i++ {
		if key(&s[i]) < key(&s[i-1]) {
			ends = append(ends, i)
		}
	}
	return append(ends, len(s))
}

func mergeRuns[T any](dst, a, b []T, key func(*T) int64) {
	for k := 0; len(a) > 0 && len(b) > 0; k++ {
		if key(&b[0]) < key(&a[0]) {
			dst[k], b = b[0], b[1:]
		} else {
			dst[k], a = a[0], a[1:]
		}
	}
	n := len(dst) - len(a) - len(b)
	copy(dst[n:], a)
	copy(dst[n:], b)
}
