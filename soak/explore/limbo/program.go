package limbo

import (
	"fmt"
	"slices"
	"strings"
)

// Program is a small program for a reclaimer.
type Program struct {
	Words  []string // of the threads
	Wrap   bool     // the epoch begins next to its end
	Shared bool     // all threads have one home
}

// The operations, by their letters.
const (
	pin     = '['
	unpin   = ']'
	read    = 'r' // load the link, and use what was found until the pin ends
	unlink  = 'x' // swap in another node and retire the old one
	alloc   = 'a' // ask for a node, for the next x
	letters = "rxa"
)

const (
	wrapMark = "@wrap"
	homeMark = "@home"
)

func (p Program) String() string {
	text := strings.Join(p.Words, "|")
	if p.Wrap {
		text += wrapMark
	}
	if p.Shared {
		text += homeMark
	}
	return text
}

// maxThreads and maxWord keep a program that is given small enough to be explored.
const (
	maxThreads = 4
	maxWord    = 32
)

// Parse reads what String writes.
func Parse(text string) (p Program, err error) {
	rest, shared := strings.CutSuffix(text, homeMark)
	rest, wrap := strings.CutSuffix(rest, wrapMark)
	p = Program{strings.Split(rest, "|"), wrap, shared}
	if len(p.Words) > maxThreads {
		return p, fmt.Errorf("limbo: %q: %d threads: want at most %d", text, len(p.Words), maxThreads)
	}
	for _, word := range p.Words {
		if word == "" || len(word) > maxWord || !balanced(word) {
			return p, fmt.Errorf("limbo: %q: thread %q: want up to %d letters of r, x and a between [ and ]", text, word, maxWord)
		}
	}
	return p, nil
}

// balanced tells whether each letter is in a pin, and each pin ended.
func balanced(word string) bool {
	depth := 0
	for _, op := range word {
		switch {
		case op == pin:
			depth++
		case op == unpin && depth > 0:
			depth--
		case depth == 0 || !strings.ContainsRune(letters, op):
			return false
		}
	}
	return depth == 0
}

// Size bounds programs: pins and letters of a thread, and of two together, at most.
type Size struct{ Word, Pair int }

// longer are programs that say more than the small ones: of three threads, and with
// pins one after the other.
var longer = []Program{
	{Words: []string{"[x][x]", "[r]"}}, {Words: []string{"[x][x]", "[r][r]"}}, {Words: []string{"[x][x]", "[r][r]"}, Wrap: true},
	{Words: []string{"[x][x]", "[r[r]]"}}, {Words: []string{"[x][r]", "[x][x]"}}, {Words: []string{"[ax][ax]", "[rx]"}},
	{Words: []string{"[x][x][x][x][x]", "[r]"}}, {Words: []string{"[x]", "[r]", "[r]"}}, {Words: []string{"[x]", "[x]", "[r]"}},
	{Words: []string{"[aaa]", "[a]"}}, {Words: []string{"[a]", "[a]", "[a]"}}, {Words: []string{"[x]", "[x]", "[r]"}, Wrap: true}, {Words: []string{"[x]", "[x]", "[x]"}, Shared: true},
}

// Programs are all programs of two threads up to a size in which something is retired
// or two nodes are asked for, and some that are longer. Of the shorter ones there are
// variants, next to the end of the epochs and with one home.
func Programs(s Size) (all []Program) {
	words := words(s.Word)
	for i, a := range words {
		for _, b := range words[:i+1] {
			both := size(a) + size(b)
			if both > s.Pair || !strings.ContainsRune(a+b, unlink) && strings.Count(a+b, string(alloc)) < 2 {
				continue
			}
			all = append(all, Program{Words: []string{a, b}})
			if both < s.Pair {
				all = append(all, Program{Words: []string{a, b}, Wrap: true}, Program{Words: []string{a, b}, Shared: true})
			}
		}
	}
	for _, p := range longer {
		if !slices.ContainsFunc(all, func(q Program) bool { return p.String() == q.String() }) {
			all = append(all, p)
		}
	}
	return all
}

// size is the number of pins and letters.
func size(word string) int { return len(word) - strings.Count(word, "]") }

// words are all words up to a size, shortest first, with one pin in a pin at most.
func words(most int) (all []string) {
	for n := 2; n <= most; n++ {
		grow("", n, 0, 0, func(w string) { all = append(all, w) })
	}
	return all
}

// grow calls found with all words that begin with word, to which left pins and
// letters are to be added, depth pins being open.
func grow(word string, left, depth, nested int, found func(string)) {
	if left == 0 {
		found(word + strings.Repeat("]", depth))
		return
	}
	if depth > 0 {
		for _, l := range letters {
			grow(word+string(l), left-1, depth, nested, found)
		}
		if last := word[len(word)-1]; last != pin || depth > 1 {
			grow(word+"]", left, depth-1, nested, found)
		}
	}
	if left > 1 && depth == 0 || depth == 1 && nested == 0 {
		grow(word+"[", left-1, depth+1, nested+depth, found)
	}
}

// smaller are the programs with one letter, one pair of brackets, one thread or one
// mark less.
func (p Program) smaller() (all []Program) {
	seen := map[string]bool{}
	add := func(s Program) {
		if text := s.String(); text != p.String() && !seen[text] {
			seen[text], all = true, append(all, s)
		}
	}
	if p.Wrap {
		add(Program{p.Words, false, p.Shared})
	}
	if p.Shared {
		add(Program{p.Words, p.Wrap, false})
	}
	for i, word := range p.Words {
		for k, op := range word {
			if op == unpin {
				continue
			}
			w := append([]string(nil), p.Words...)
			w[i] = word[:k] + word[k+1:]
			if op == pin {
				end := k + closing(word[k:])
				w[i] = word[:k] + word[k+1:end] + word[end+1:]
			}
			if w[i] == "" && len(w) > 1 {
				w = append(w[:i], w[i+1:]...)
			}
			if s := (Program{w, p.Wrap, p.Shared}); s.valid() {
				add(s)
			}
		}
	}
	return all
}

func (p Program) valid() bool {
	_, err := Parse(p.String())
	return err == nil
}

// closing is where the pin ends with which word begins.
func closing(word string) int {
	depth := 0
	for i, op := range word {
		switch op {
		case pin:
			depth++
		case unpin:
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(word) - 1
}
