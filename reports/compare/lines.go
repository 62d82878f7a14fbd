package compare

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// limits bound what one input may cost. Real files stay far below: a thousand
// results are some 100 kB.
type limits struct {
	lineB     int // of a line; longer text is skipped, a longer result refused
	inputB    int // of an input
	retainedB int // of what is kept of it
}

var defaultLimits = limits{lineB: 32 << 10, inputB: 256 << 20, retainedB: 256 << 20}

var errTooMuch = errors.New("more than can be a file of benchmark results")

// line is one line of an input, without its end.
type line struct {
	number int    // from 1
	text   []byte // until the next call of next; of a long line, the first lineB bytes
	ended  bool   // by a line feed, not by the end of the input
}

// lines splits an input. Memory is one buffer, however long a line is.
type lines struct {
	r      *bufio.Reader
	number int
}

func newLines(r io.Reader, lim limits) *lines {
	decoded := decode(bufio.NewReader(&bounded{r, lim.inputB}))
	return &lines{r: bufio.NewReaderSize(decoded, lim.lineB)}
}

// next returns io.EOF after the last line.
func (l *lines) next() (line, error) {
	text, err := l.r.ReadSlice('\n')
	if len(text) == 0 && err != nil {
		return line{}, err
	}
	l.number++
	got := line{number: l.number, text: text}
	long := err == bufio.ErrBufferFull
	if long {
		got.text = bytes.Clone(text)
		for err == bufio.ErrBufferFull {
			_, err = l.r.ReadSlice('\n')
		}
	}
	if err != nil && err != io.EOF {
		return line{}, err
	}
	got.ended = err == nil
	if !long { // a long one stays whole: its length is what tells it
		got.text = bytes.TrimSuffix(bytes.TrimSuffix(text, []byte("\n")), []byte("\r"))
	}
	return got, nil
}

// bounded fails, unlike io.LimitedReader, after leftB bytes.
type bounded struct {
	r     io.Reader
	leftB int
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.leftB <= 0 {
		return 0, errTooMuch
	}
	n, err := b.r.Read(p[:min(len(p), b.leftB)])
	b.leftB -= n
	return n, err
}

// decode returns UTF-8 for what a byte order mark says: PowerShell writes
// UTF-16 when output is redirected.
func decode(r *bufio.Reader) io.Reader {
	mark, _ := r.Peek(3)
	switch {
	case bytes.HasPrefix(mark, []byte{0xEF, 0xBB, 0xBF}):
		r.Discard(3)
	case bytes.HasPrefix(mark, []byte{0xFF, 0xFE}):
		r.Discard(2)
		return &wide{r: r, low: 0, high: 1}
	case bytes.HasPrefix(mark, []byte{0xFE, 0xFF}):
		r.Discard(2)
		return &wide{r: r, low: 1, high: 0}
	}
	return r
}

// wide reads UTF-16 as UTF-8.
type wide struct {
	r         *bufio.Reader
	low, high int // which of two bytes is the low one
	out       []byte
}

var errHalf = errors.New("UTF-16 ends in the middle of a character")

func (w *wide) Read(p []byte) (int, error) {
	for len(w.out) < min(len(p), 4096) {
		c, err := w.unit()
		if err != nil && len(w.out) > 0 {
			break
		}
		if err != nil {
			return 0, err
		}
		if utf16.IsSurrogate(c) {
			c = w.pair(c)
		}
		w.out = utf8.AppendRune(w.out, c)
	}
	n := copy(p, w.out)
	w.out = w.out[:copy(w.out, w.out[n:])]
	return n, nil
}

func (w *wide) unit() (rune, error) {
	two, err := w.r.Peek(2)
	if len(two) == 1 && err == io.EOF {
		return 0, errHalf
	}
	if err != nil {
		return 0, err
	}
	c := rune(two[w.high])<<8 | rune(two[w.low])
	w.r.Discard(2)
	return c, nil
}

// pair completes the surrogate half; alone, or beside what is no second half,
// it is U+FFFD, and what follows stands for itself.
func (w *wide) pair(half rune) rune {
	two, _ := w.r.Peek(2)
	if len(two) < 2 {
		return utf8.RuneError
	}
	c := utf16.DecodeRune(half, rune(two[w.high])<<8|rune(two[w.low]))
	if c != utf8.RuneError {
		w.r.Discard(2)
	}
	return c
}
