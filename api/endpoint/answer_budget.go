package endpoint

import (
	"context"

	"github.com/florinledger/florin/internal/budget"
	"github.com/florinledger/florin/internal/turns"
	"github.com/florinledger/florin/ledger"
)

// freeAnswer is how much of each answer does not count, so that usual answers are made whatever others ask for.
const freeAnswer = 64 << 10

// LargeAnswers is how many answers at once may hold more than others, for a row that is too large for these.
const LargeAnswers = 1

// nobody has the answers to all callers without a user: together they have as much as one user.
const nobody = "\x00nobody"

// answerBytes lends one answer its bytes, out of those that all answers may hold, and those of one user.
type answerBytes struct {
	limits *Limits
	who    turns.Account
	held   int64
	// free is how many of its bytes do not count; began: that has been decided.
	free  int64
	began bool
}

// Take implements [budget.Lender].
func (a *answerBytes) Take(bytes int64) error {
	a.begin()
	more := max(0, a.held+bytes-a.free) - max(0, a.held-a.free)
	short := a.limits.answers.take(a.who, more)
	if short != noShortage {
		a.end()
	}
	switch short {
	case shortForAll:
		return Overloaded(retryAfter, "The node holds %d bytes of answers at the moment, the most it makes at once.",
			a.limits.now().AnswerMemory)
	case shortForProvider:
		return a.limits.answers.ofProvider(a.who, "bytes of answers")
	case shortForHolder:
		return Overloaded(retryAfter,
			"The node holds %d bytes of answers to this caller at the moment, the most it makes at once for one user, or for "+
				"all without a token.", a.limits.now().UserAnswerMemory)
	case noShortage:
	}
	a.held += bytes
	return nil
}

// Give implements [budget.Lender].
func (a *answerBytes) Give(bytes int64) {
	less := max(0, a.held-a.free) - max(0, a.held-bytes-a.free)
	a.limits.answers.give(a.who, less)
	a.held -= bytes
	a.end()
}

// begin gives the answer its bytes that do not count, unless as many answers have some as there are places for
// requests: a client that does not read may have many answers, whose requests have given their places back.
func (a *answerBytes) begin() {
	if a.began {
		return
	}
	a.began = true
	if a.limits.freeAnswers.take(a.who, 1) == noShortage {
		a.free = freeAnswer
	}
}

// end gives back what begin took, once the answer holds nothing.
func (a *answerBytes) end() {
	if a.held > 0 {
		return
	}
	if a.free > 0 {
		a.limits.freeAnswers.give(a.who, 1)
	}
	a.began, a.free = false, 0
}

// exceeding is answerBytes for callers with a user, who may be shown what is too large for other answers.
type exceeding struct{ *answerBytes }

// Exceed implements [budget.Exceeder].
func (e exceeding) Exceed() (end func(), err error) {
	if e.limits.large.take(e.who, 1) != noShortage {
		return nil, Overloaded(retryAfter, "The node makes another answer at the moment of a row that takes more than %d "+
			"bytes: one at a time.", e.limits.now().Answer)
	}
	return func() { e.limits.large.give(e.who, 1) }, nil
}

// budget is that of one answer to a caller.
func (l *Limits) budget(who caller) *budget.Budget {
	if who.anonymous {
		return budget.New(l.now().Answer, &answerBytes{limits: l, who: turns.Account{Name: nobody}})
	}
	return budget.New(l.now().Answer, exceeding{&answerBytes{limits: l, who: who.holder}})
}

// Portion is a context for reading a part of a stream's answer, which has a budget of its own. Call release when the
// client has the part.
func Portion(ctx context.Context) (portion context.Context, release func()) {
	current := callOf(ctx)
	if current.newBudget == nil {
		return ctx, func() {}
	}
	part := current.newBudget()
	return ledger.WithViews(budget.With(ctx, part)), part.Release
}
