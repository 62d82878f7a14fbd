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
	push      = 'P' // the owner's
	pop       = 'p' // the owner's
	pushTwo   = 'B' // the owner's, or any thread's: a batch
	steal     = 's' // a word of these only is written as their number
	stealTwo  = 'b' // up to two
	enter     = 'E' // any thread's push
	leave     = 'D' // any thread's pop
	leaveTwo  = 'T' // any thread's pop of up to two
	ofOwners  = "PpB"
	ofThieves = "sb"
	ofAny     = "EDBT"
)

// items is how many items an operation pushes.
func items(op rune) int {
	switch op {
	case push, enter:
		return 1
	case pushTwo:
		return 2
	}
	return 0
}

// Parse reads what String writes.
func Parse(text string) (Scenario, error) {
	parts := strings.Split(text, "|")
	s := Scenario{Kind: queues.KindInjector}
	if strings.ContainsAny(parts[0], "Pp") {
		s.Kind = queues.KindDeque
	}
	for i, word := range parts {
		letters := ofAny
		if s.Kind == queues.KindDeque {
			letters = ofOwners
			if i > 0 {
				letters = ofThieves
				if n, err := strconv.Atoi(word); err == nil && n > 0 && n <= limit {
					word = strings.Repeat(string(steal), n)
				}
			}
		}
		if word == "" || strings.Trim(word, letters) != "" {
			return s, fmt.Errorf("scenario: %q: thread %q: want letters of %s", text, word, letters)
		}
		s.Words = append(s.Words, word)
	}
	return s, nil
}

func (s Scenario) String() string {
	parts := append([]string(nil), s.Words...)
	if s.Kind == queues.KindDeque {
		for i, word := range parts[1:] {
			if strings.Trim(word, string(steal)) == "" {
				parts[i+1] = strconv.Itoa(len(word))
			}
		}
	}
	return strings.Join(parts, "|")
}

// Size is the number of operations.
func (s Scenario) Size() int { return len(strings.Join(s.Words, "")) }

// Deques are all scenarios with an owner's word of from to to operations that
// begins with a push, and with one thief that steals once, one that steals
// twice, and two that steal once; up to five operations also with one that
// steals up to two at once, and up to three with one that steals four times.
func Deques(from, to int) (all []Scenario) {
	for length := from; length <= to; length++ {
		for _, word := range words("Pp", length) {
			if word[0] != push {
				continue
			}
			for _, thieves := range [][]string{{"s"}, {"ss"}, {"s", "s"}, {"b"}, {"ssss"}} {
				if thieves[0] == "b" && length > 5 || thieves[0] == "ssss" && length > 3 {
					continue
				}
				all = append(all, Scenario{queues.KindDeque, append([]string{word}, thieves...)})
			}
		}
	}
	return all
}

// Injectors are all scenarios of two threads with up to each operations, and of
// three with one, or with two in one of them; and all of two threads with one
// or two operations of which one or two are batches. Orders of the same words
// are the same scenario. Those that push nothing are left out.
func Injectors(each int) (all []Scenario) {
	seen := map[string]bool{}
	add := func(words ...string) {
		joined := strings.Join(words, "|")
		if !seen[joined] && strings.ContainsAny(joined, "EB") && ordered(words) {
			seen[joined] = true
			all = append(all, Scenario{queues.KindInjector, words})
		}
	}
	pairs("ED", each, add)
	pairs(ofAny, min(each, 2), func(words ...string) {
		joined := strings.Join(words, "|")
		if batches := strings.Count(joined, "B") + strings.Count(joined, "T"); batches == 1 || batches == 2 {
			add(words...)
		}
	})
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

// pairs calls add with all pairs of words of up to each letters, the second
// word no longer than the first.
func pairs(letters string, each int, add func(...string)) {
	for n := 1; n <= each; n++ {
		for m := 1; m <= n; m++ {
			for _, a := range words(letters, n) {
				for _, b := range words(letters, m) {
					add(a, b)
				}
			}
		}
	}
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
