package scenario

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/exactlyonce/certify/queues"
)

// Scenario is a small program for one queue.
type Scenario struct {
	Kind  queues.Kind
	Words []string // of the threads, a letter an operation; the owner's is the first
}

// The operations, by their letters.
const (
	push  = 'P' // the owner's
	pop   = 'p' // the owner's
	steal = 's' // written as a number
	enter = 'E' // any thread's push
	leave = 'D' // any thread's pop
)

// Parse reads what String writes.
func Parse(text string) (Scenario, error) {
	parts := strings.Split(text, "|")
	s := Scenario{Kind: queues.KindInjector}
	if strings.ContainsAny(parts[0], "Pp") {
		s.Kind = queues.KindDeque
	}
	for i, part := range parts {
		letters := "ED"
		if s.Kind == queues.KindDeque {
			letters = "Pp"
			if i > 0 {
				n, err := strconv.Atoi(part)
				if err != nil || n < 1 || n > 16 {
					return s, fmt.Errorf("scenario: %q: thief %q: want a number of steals from 1 to 16", text, part)
				}
				s.Words = append(s.Words, strings.Repeat(string(steal), n))
				continue
			}
		}
		if part == "" || strings.Trim(part, letters) != "" {
			return s, fmt.Errorf("scenario: %q: thread %q: want letters of %s", text, part, letters)
		}
		s.Words = append(s.Words, part)
	}
	return s, nil
}

func (s Scenario) String() string {
	parts := append([]string(nil), s.Words...)
	if s.Kind == queues.KindDeque {
		for i, word := range parts[1:] {
			parts[i+1] = strconv.Itoa(len(word))
		}
	}
	return strings.Join(parts, "|")
}

// Size is the number of operations.
func (s Scenario) Size() int { return len(strings.Join(s.Words, "")) }

// Deques are all scenarios with an owner's word of from to to operations that
// begins with a push, and with one thief that steals once, one that steals
// twice, and two that steal once.
func Deques(from, to int) (all []Scenario) {
	for length := from; length <= to; length++ {
		for _, word := range words("Pp", length) {
			if word[0] != push {
				continue
			}
			for _, thieves := range [][]string{{"s"}, {"ss"}, {"s", "s"}} {
				all = append(all, Scenario{queues.KindDeque, append([]string{word}, thieves...)})
			}
		}
	}
	return all
}

// Injectors are all scenarios of two threads with up to each operations, and of
// three with one, or with two in one of them. Orders of the same words are the
// same scenario. Those without a push are left out.
func Injectors(each int) (all []Scenario) {
	seen := map[string]bool{}
	add := func(words ...string) {
		joined := strings.Join(words, "|")
		if !seen[joined] && strings.ContainsRune(joined, enter) && ordered(words) {
			seen[joined] = true
			all = append(all, Scenario{queues.KindInjector, words})
		}
	}
	for n := 1; n <= each; n++ {
		for m := 1; m <= n; m++ {
			for _, a := range words("ED", n) {
				for _, b := range words("ED", m) {
					add(a, b)
				}
			}
		}
	}
	for n := 1; n <= min(each, 2); n++ {
		for _, a := range words("ED", n) {
			for _, b := range words("ED", 1) {
				for _, c := range words("ED", 1) {
					add(a, b, c)
				}
			}
		}
	}
	return all
}

// ordered tells whether words of the same length come in their order.
func ordered(words []string) bool {
	for i := range len(words) - 1 {
		if len(words[i]) == len(words[i+1]) && words[i] < words[i+1] {
			return false
		}
	}
	return true
}

// words are all words of n letters.
func words(letters string, n int) []string {
	if n == 0 {
		return []string{""}
	}
	var all []string
	for _, shorter := range words(letters, n-1) {
		for _, l := range letters {
			all = append(all, shorter+string(l))
		}
	}
	return all
}

// smaller are the scenarios with one operation less.
func (s Scenario) smaller() (all []Scenario) {
	seen := map[string]bool{}
	for i, word := range s.Words {
		for k := range word {
			w := append([]string(nil), s.Words...)
			w[i] = word[:k] + word[k+1:]
			if w[i] == "" && i == 0 && s.Kind == queues.KindDeque || len(w) == 1 && w[0] == "" {
				continue
			}
			if w[i] == "" {
				w = append(w[:i], w[i+1:]...)
			}
			if c := (Scenario{s.Kind, w}); !seen[c.String()] {
				seen[c.String()] = true
				all = append(all, c)
			}
		}
	}
	return all
}
