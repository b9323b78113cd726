package admission

import (
	"context"
	"io"

	"github.com/florinledger/florin/internal/budget"
	"github.com/florinledger/florin/internal/turns"
)

const (
	// FreeBody is the part of each body that does not count.
	FreeBody = 64 << 10
	// freeAsked is the part of a stream's request that does not count: it stays in memory as long as the stream.
	freeAsked = 4 << 10
	// freeAnswer is the part of each answer that does not count, so that usual answers succeed under any load.
	freeAnswer = 64 << 10
)

// meter counts the bytes that an account holds, except the first ones, which are free.
type meter struct {
	limits     *Limits
	in         place
	account    turns.Account
	free, held int64
}

// Take adds bytes, or refuses.
func (m *meter) Take(bytes int64) error {
	if more := m.counted(m.held+bytes) - m.counted(m.held); more > 0 {
		if err := m.limits.try(m.in, m.account, int(more)); err != nil {
			return err
		}
	}
	m.held += bytes
	return nil
}

func (m *meter) Give(bytes int64) {
	if less := m.counted(m.held) - m.counted(m.held-bytes); less > 0 {
		m.limits.places[m.in].Give(m.account, int(less))
	}
	m.held -= bytes
}

func (m *meter) counted(held int64) int64 { return max(0, held-m.free) }

// Body counts the bytes of a body: long bodies must fit the limits of all bodies and of one user.
type Body struct {
	from io.Reader
	meter
}

// Body starts to count a body. Release it when its content is not needed any more.
func (l *Limits) Body(caller Caller, from io.Reader) *Body {
	return &Body{from, meter{limits: l, in: bodyBytes, account: caller.Account, free: FreeBody}}
}

// Receive waits for a place for a message that is on its way. Call release when it is here, or will not come.
func (l *Limits) Receive(ctx context.Context, caller Caller) (release func(), err error) {
	return l.take(ctx, messages, caller.Account)
}

// Asked starts to count the request of a stream.
func (l *Limits) Asked(caller Caller, from io.Reader) *Body {
	return &Body{from, meter{limits: l, in: streamBytes, account: caller.Account, free: freeAsked}}
}

// Read implements [io.Reader].
func (b *Body) Read(into []byte) (int, error) {
	n, err := b.from.Read(into)
	if refusal := b.Take(int64(n)); refusal != nil {
		return n, refusal
	}
	return n, err
}

// Release gives all bytes back.
func (b *Body) Release() { b.Give(b.held) }

// Budget returns the budget of one answer, or of a part of a stream. Release it when the client has the answer.
func (v *Visit) Budget() *budget.Budget {
	lender := &answer{meter{limits: v.limits, in: answerBytes, account: v.caller.Account}}
	if v.caller.Anonymous {
		return budget.New(v.limits.now().Answer, lender)
	}
	return budget.New(v.limits.now().Answer, oversizedAnswer{lender})
}

// answer lends bytes to one answer. Its first bytes are free for as many answers as there are places for requests: a
// client that does not read can have many answers whose requests have given their places back.
type answer struct{ meter }

// Take implements [budget.Lender].
func (a *answer) Take(bytes int64) error {
	if a.held == 0 && a.limits.places[freeAnswers].Try(a.account, 1) == turns.NoShortage {
		a.free = freeAnswer
	}
	err := a.meter.Take(bytes)
	a.end()
	return err
}

// Give implements [budget.Lender].
func (a *answer) Give(bytes int64) {
	a.meter.Give(bytes)
	a.end()
}

// end gives the free bytes back when the answer holds nothing.
func (a *answer) end() {
	if a.held == 0 && a.free > 0 {
		a.limits.places[freeAnswers].Give(a.account, 1)
		a.free = 0
	}
}

// oversizedAnswer lets callers with a user read rows above the limit of an answer.
type oversizedAnswer struct{ *answer }

// Exceed implements [budget.Exceeder].
func (e oversizedAnswer) Exceed() (end func(), err error) {
	if err := e.limits.try(largeAnswers, e.account, 1); err != nil {
		return nil, err
	}
	return func() { e.limits.places[largeAnswers].Give(e.account, 1) }, nil
}
