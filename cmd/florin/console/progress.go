package console

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/florinledger/florin/internal/wait"
)

// Progress shows in one line on a terminal how far a long piece of work is, and how long the rest takes. Elsewhere it
// shows nothing. Its methods may be called from several goroutines.
type Progress struct {
	mu sync.Mutex
	// to is nil if the progress shows nothing.
	to      io.Writer
	now     func() time.Time
	what    string
	done    int64
	total   int64
	began   time.Time
	isDrawn bool
	stop    context.CancelFunc
}

const (
	// drawEvery is often enough for a person, and drawAfter spares short work the line.
	drawEvery = time.Second / 4
	drawAfter = time.Second / 2
	clearLine = "\r\x1b[K"
)

// NewProgress shows progress on standard error if that is a terminal and people read the output. End must be called.
func (o Output) NewProgress(ctx context.Context) *Progress {
	ctx, stop := context.WithCancel(ctx)
	p := &Progress{now: time.Now, stop: stop}
	if o.JSON || o.Quiet || !term.IsTerminal(int(os.Stderr.Fd())) {
		return p
	}
	p.to = os.Stderr
	go func() {
		for wait.For(ctx, drawEvery) == nil {
			p.draw()
		}
	}()
	return p
}

// Shows reports whether a person sees the progress.
func (p *Progress) Shows() bool { return p.to != nil }

// Begin begins a piece of work in so many parts; 0: nobody knows how many.
func (p *Progress) Begin(what string, total int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.what, p.done, p.total, p.began = what, 0, total, p.now()
}

// Resume names the next part of a piece of work in so many parts. The first one begins it.
func (p *Progress) Resume(what string, total int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.what == "" {
		p.began = p.now()
	}
	p.what, p.total = what, total
}

// Set says how many of how many parts are done.
func (p *Progress) Set(done, total int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done, p.total = done, total
}

// Add says that more parts are done.
func (p *Progress) Add(parts int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done += parts
}

// Around clears the line while a function prints to the terminal.
func (p *Progress) Around(print func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	print()
}

// End clears the line. It may be called again.
func (p *Progress) End() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	p.to = nil
	p.stop()
}

func (p *Progress) clear() {
	if p.isDrawn {
		fmt.Fprint(p.to, clearLine)
		p.isDrawn = false
	}
}

func (p *Progress) draw() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.to == nil || p.what == "" || p.now().Sub(p.began) < drawAfter {
		return
	}
	p.isDrawn = true
	fmt.Fprint(p.to, clearLine+"florin: "+Plain(p.line()))
}

// line says how far the work is. Without a first part, only the time until now is known.
func (p *Progress) line() string {
	took := p.now().Sub(p.began)
	if p.total <= 0 || p.done <= 0 {
		return fmt.Sprintf("%s: %s until now", p.what, took.Truncate(time.Second))
	}
	done := min(p.done, p.total)
	left := time.Duration(float64(took) * float64(p.total-done) / float64(done))
	return fmt.Sprintf("%s: %d %%, about %s left", p.what, 100*done/p.total, left.Round(time.Second))
}
