package process

import (
	"bytes"
	"io"
	"strings"
	"sync"
)

// Tail copies output and keeps its last lines for an error message. It is safe for concurrent use.
type Tail struct {
	mu      sync.Mutex
	next    io.Writer
	keep    int
	lines   []string
	partial []byte
}

// maxPartial bounds the kept bytes of a line.
const maxPartial = 8 << 10

// NewTail keeps the last lines and writes everything to next, which may be nil.
func NewTail(next io.Writer, keep int) *Tail { return &Tail{next: next, keep: keep} }

// Write never fails: a broken log must not stop the process that writes it.
func (t *Tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.next != nil {
		_, _ = t.next.Write(p)
	}
	t.partial = append(t.partial, p...)
	for {
		end := bytes.IndexByte(t.partial, '\n')
		if end < 0 {
			break
		}
		t.push(string(t.partial[:end]))
		t.partial = t.partial[end+1:]
	}
	if len(t.partial) > maxPartial {
		t.partial = t.partial[:maxPartial]
	}
	return len(p), nil
}

func (t *Tail) push(line string) {
	if len(t.lines) == t.keep {
		t.lines = append(t.lines[:0], t.lines[1:]...)
	}
	t.lines = append(t.lines, strings.TrimRight(line, "\r"))
}

// String returns the kept lines, oldest first.
func (t *Tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := append([]string(nil), t.lines...)
	if len(t.partial) > 0 {
		lines = append(lines, string(t.partial))
	}
	return strings.Join(lines, "\n")
}
