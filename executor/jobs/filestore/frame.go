package filestore

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"strings"
)

const (
	magic      = "certify-jobs v1\n"
	magicKind  = "certify-jobs v"
	headB      = 12      // of a frame, before its payload
	maxPayload = 1 << 24 // bytes of a payload
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// newFrame is a frame with room for its head; seal fills that in when the
// payload has been appended.
func newFrame() []byte { return make([]byte, headB, 512) }

func seal(frame []byte) {
	payload := frame[headB:]
	binary.LittleEndian.PutUint32(frame[0:], uint32(len(payload)))
	binary.LittleEndian.PutUint32(frame[4:], crc32.Checksum(payload, castagnoli))
	binary.LittleEndian.PutUint32(frame[8:], crc32.Checksum(frame[:8], castagnoli))
}

// log is the bytes of a log file.
type log struct {
	path  string
	data  io.ReaderAt
	sizeB int64
}

// scan calls visit with each line and its offset. It returns where the last
// whole frame ends, which is before the end of the file when the rest was
// written in part, or a *CorruptError.
func (l log) scan(visit func(offset int64, text []byte) error) (end int64, err error) {
	r := bufio.NewReaderSize(io.NewSectionReader(l.data, 0, l.sizeB), 1<<16)
	if err := l.checkMagic(r); err != nil {
		return 0, err
	}
	var payload []byte
	for end = int64(len(magic)); end < l.sizeB; end += headB + int64(len(payload)) {
		var problem string
		payload, problem, err = l.frame(r, l.sizeB-end, payload)
		if err != nil {
			return 0, fmt.Errorf("filestore: read %s: %w", l.path, err)
		}
		if problem != "" {
			return end, l.torn(end, problem)
		}
		if err := l.lines(end+headB, payload, visit); err != nil {
			return 0, err
		}
	}
	return end, nil
}

func (l log) checkMagic(r io.Reader) error {
	head := make([]byte, min(int64(len(magic)), l.sizeB))
	if _, err := io.ReadFull(r, head); err != nil {
		return fmt.Errorf("filestore: read %s: %w", l.path, err)
	}
	switch {
	case string(head) == magic:
		return nil
	case len(head) == len(magic) && strings.HasPrefix(string(head), magicKind):
		return fmt.Errorf("filestore: %s: %w %q, want %q", l.path, ErrVersion, head, magic)
	}
	return &CorruptError{l.path, 0, fmt.Sprintf("begins with %q, want %q", head, magic)}
}

// The problems that a crash can leave behind: a frame that the end of the file
// cuts off, and a last one of which not all reached the disk.
const (
	short   = "cut off"
	badHead = "checksum of a frame's head"
	badLast = "checksum of the last frame's payload"
)

// frame reads a frame of which left bytes are there at most. A problem is
// what is wrong with it.
func (l log) frame(r io.Reader, left int64, buffer []byte) (payload []byte, problem string, err error) {
	var head [headB]byte
	if left < headB {
		return nil, short, nil
	}
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, "", err
	}
	length := int64(binary.LittleEndian.Uint32(head[0:]))
	switch {
	case crc32.Checksum(head[:8], castagnoli) != binary.LittleEndian.Uint32(head[8:]):
		return nil, badHead, nil
	case length == 0 || length > maxPayload:
		return nil, fmt.Sprintf("frame of %d bytes", length), nil
	case length > left-headB:
		return nil, short, nil
	}
	if int64(cap(buffer)) < length {
		buffer = make([]byte, length)
	}
	payload = buffer[:length]
	if _, err := io.ReadFull(r, payload); err != nil {
		return nil, "", err
	}
	if crc32.Checksum(payload, castagnoli) != binary.LittleEndian.Uint32(head[4:]) {
		if length == left-headB {
			return nil, badLast, nil
		}
		return nil, "checksum of a frame's payload", nil
	}
	return payload, "", nil
}

// torn decides whether the bytes from offset to the end were written in part,
// and returns a *CorruptError if not.
func (l log) torn(offset int64, problem string) error {
	switch problem {
	case short:
		return nil
	case badHead, badLast:
		rest := make([]byte, min(l.sizeB-offset, headB+maxPayload))
		if _, err := l.data.ReadAt(rest, offset); err != nil && err != io.EOF {
			return fmt.Errorf("filestore: read %s: %w", l.path, err)
		}
		if hole(rest) && !holdsFrame(rest[1:]) {
			return nil
		}
	}
	return &CorruptError{l.path, offset, problem}
}

// hole tells whether some of b was never written: a payload has no zeros, and
// a head only 12 bytes.
func hole(b []byte) bool {
	return b[len(b)-1] == 0 || bytes.Contains(b, make([]byte, headB+1))
}

// holdsFrame looks for a whole frame: before one nothing is written in part.
func holdsFrame(b []byte) bool {
	for ; len(b) > headB; b = b[1:] {
		if crc32.Checksum(b[:8], castagnoli) != binary.LittleEndian.Uint32(b[8:]) {
			continue
		}
		length := int64(binary.LittleEndian.Uint32(b))
		if length > 0 && length <= int64(len(b)-headB) &&
			crc32.Checksum(b[headB:headB+length], castagnoli) == binary.LittleEndian.Uint32(b[4:]) {
			return true
		}
	}
	return false
}

func (l log) lines(offset int64, payload []byte, visit func(offset int64, text []byte) error) error {
	for len(payload) > 0 {
		n := bytes.IndexByte(payload, '\n') + 1
		if n == 0 {
			return &CorruptError{l.path, offset, "a line without an end"}
		}
		if err := visit(offset, payload[:n]); err != nil {
			return err
		}
		offset, payload = offset+int64(n), payload[n:]
	}
	return nil
}
