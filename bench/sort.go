package bench

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// serial is the length from which on sortLoop sorts in place.
const serial = 64

// sortLoop sorts n numbers, the same each time, by quicksort: one part is
// spawned, the other goes on. Copying them and checking the result is not timed.
func sortLoop[W, H any](p Pool[W, H], n int) loop {
	numbers, sum := make([]int, n), 0
	for i := range numbers {
		numbers[i] = int(mix(uint64(i)) >> 34) // some are equal
		sum += numbers[i]
	}
	s := make([]int, n)
	return loop{run: func(rounds int) (out outcome, err error) {
		for range rounds {
			copy(s, numbers)
			began := time.Now()
			h, err := p.Submit(func(w W) (int, error) { return quicksort(p, w, s) })
			if err != nil {
				return outcome{}, fmt.Errorf("submit: %w", err)
			}
			if err := expect(p.Await, h, n); err != nil {
				return outcome{}, err
			}
			out.elapsed += time.Since(began)
			if err := checkSorted(s, sum); err != nil {
				return outcome{}, err
			}
		}
		return out, nil
	}}
}

func checkSorted(s []int, sum int) error {
	if !slices.IsSorted(s) {
		return errors.New("the numbers are not sorted")
	}
	for _, v := range s {
		sum -= v
	}
	if sum != 0 {
		return fmt.Errorf("the sorted numbers sum up to %d too little", sum)
	}
	return nil
}

// quicksort sorts s and returns how many numbers it has put in place.
func quicksort[W, H any](p Pool[W, H], w W, s []int) (int, error) {
	if len(s) <= serial {
		slices.Sort(s)
		return len(s), nil
	}
	m := partition(s)
	h := p.Spawn(w, func(w W) (int, error) { return quicksort(p, w, s[:m]) })
	b, err := quicksort(p, w, s[m+1:])
	a, joined := p.Join(w, h) // always: nothing may be left running
	if err == nil {
		err = joined
	}
	return a + 1 + b, err
}

// partition puts the median of three where it belongs and returns where: before
// it is nothing greater, behind it nothing less.
func partition(s []int) int {
	last := len(s) - 1
	mid := last / 2
	if s[mid] < s[0] {
		s[mid], s[0] = s[0], s[mid]
	}
	if s[last] < s[mid] {
		s[last], s[mid] = s[mid], s[last]
		if s[mid] < s[0] {
			s[mid], s[0] = s[0], s[mid]
		}
	}
	s[mid], s[last-1] = s[last-1], s[mid]
	pivot := s[last-1]
	i, j := 0, last-1
	for {
		for i++; s[i] < pivot; i++ {
		}
		for j--; s[j] > pivot; j-- {
		}
		if i >= j {
			s[i], s[last-1] = s[last-1], s[i]
			return i
		}
		s[i], s[j] = s[j], s[i]
	}
}
