package webhook

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"time"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/internal/failpoint"
	"github.com/florinledger/florin/internal/turns"
)

const (
	// turnTime is how long one call delivers before others have a turn.
	turnTime = 5 * time.Second
	// endTimeout bounds how long the result of an attempt may take to store.
	endTimeout = 5 * time.Second
	// firstRetry is the pause after the first failure; it doubles with each further one, up to longestRetry.
	firstRetry   = 5 * time.Second
	longestRetry = time.Hour
	// GiveUpAfter is how long a message is tried before it becomes a dead letter.
	GiveUpAfter = 24 * time.Hour
	// busyPause is the pause of a webhook whose owner has as many deliveries as one may have.
	busyPause = time.Second
	// callGrace is how long after its next look a workflow counts as lost.
	callGrace = time.Minute
)

// Outcome is what a turn of a webhook leaves.
type Outcome struct {
	// Over: nothing waits for it, or it is paused or gone.
	Over bool
	// Wait is the pause before the next turn.
	Wait time.Duration
}

// Deliver sends messages that wait for a webhook, in order, for a few seconds. An error is one of the database; those
// of receivers are in the log of the webhook. If the owner has too many deliveries at the same time, it returns at once.
func (s *Sender) Deliver(ctx context.Context, id string) (Outcome, error) {
	hook, found, err := s.options.Record.Webhook(ctx, id)
	if err != nil || !found {
		return Outcome{Over: true}, err
	}
	account := accountOf(hook)
	if s.delivering.Try(account, 1) != turns.NoShortage {
		return Outcome{Wait: busyPause + rand.N(busyPause)}, nil //nolint:gosec // jitter needs no secrecy
	}
	defer s.delivering.Give(account, 1)
	for until := s.options.Now().Add(turnTime); found && hook.Paused == ""; {
		now := s.options.Now()
		if pause := hook.RetryAt.Sub(now); pause > 0 {
			_, err := s.change(ctx, hook, func(_ *db.Tx, hook *db.Webhook) error {
				hook.CallAfter = hook.RetryAt.Add(callGrace)
				return nil
			})
			return Outcome{Wait: pause}, err
		}
		if now.After(until) || ctx.Err() != nil {
			return Outcome{}, ctx.Err()
		}
		if over, err := s.deliverPage(ctx, hook, until); over || err != nil {
			return Outcome{Over: over}, err
		}
		if hook, found, err = s.options.Record.Webhook(ctx, id); err != nil {
			return Outcome{}, err
		}
	}
	return Outcome{Over: true}, nil
}

// deliverPage sends the messages of one page. It reports whether nothing waits any more.
func (s *Sender) deliverPage(ctx context.Context, hook db.Webhook, until time.Time) (over bool, err error) {
	next, err := s.read(ctx, hook)
	if err != nil {
		return false, err
	}
	if next.lost != nil {
		return false, s.skip(ctx, hook, *next.lost)
	}
	for _, event := range next.events {
		m, err := event.message(hook.ID)
		if err != nil {
			return false, err
		}
		goesOn, err := s.deliver(ctx, &hook, m, event.after)
		if err != nil || !goesOn || s.options.Now().After(until) {
			return false, err
		}
	}
	_, err = s.change(ctx, hook, func(_ *db.Tx, hook *db.Webhook) error {
		hook.Next, hook.CallAfter = next.end, time.Unix(0, 0)
		return nil
	})
	return !next.more, err
}

// deliver sends one message and moves the webhook behind it. It reports whether the receiver accepted it, so that the
// next message may go.
func (s *Sender) deliver(
	ctx context.Context, hook *db.Webhook, m message, after db.WebhookPlace,
) (goesOn bool, err error) {
	attempt := s.newAttempt(m)
	may, err := s.change(ctx, *hook, func(tx *db.Tx, current *db.Webhook) error {
		if current.Paused, err = Missing(ctx, tx, *current); err != nil || current.Paused != "" {
			*hook = *current
			return err
		}
		current.CallAfter = s.options.Now().Add(callGrace)
		attempt.Number, err = tx.BeginAttempt(ctx, current.ID, attempt)
		*hook = *current
		return err
	})
	if err != nil || !may || hook.Paused != "" {
		s.logPause(ctx, *hook)
		return false, err
	}
	failpoint.Hit(failpoint.BeforeWebhook)
	s.post(ctx, *hook, m, &attempt)
	failpoint.Hit(failpoint.AfterWebhook)
	s.count(attempt.State)
	stopped := ctx.Err() != nil
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTimeout) // what was sent is noted
	defer cancel()
	before, moved := hook.Next, false
	err = s.options.Record.InTx(ctx, func(tx *db.Tx) error {
		current, found, err := tx.HoldWebhook(ctx, hook.ID)
		if moved = !found; err != nil || !found { // deleted meanwhile, with its log
			return err
		}
		if err := tx.EndAttempt(ctx, hook.ID, attempt); err != nil {
			return err
		}
		if moved = current.Next != before || stopped; moved { // another process was faster, or this one stops
			return nil
		}
		*hook, err = s.settle(ctx, tx, current, m, attempt, after)
		if err != nil {
			return err
		}
		return tx.StoreWebhook(ctx, *hook)
	})
	if err != nil || moved {
		return false, err
	}
	s.logFailure(ctx, *hook, attempt)
	return attempt.State == db.AttemptSent, nil
}

// settle is the webhook after an attempt of its next message.
func (s *Sender) settle(
	ctx context.Context, tx *db.Tx, hook db.Webhook, m message, attempt db.WebhookAttempt, after db.WebhookPlace,
) (db.Webhook, error) {
	now := s.options.Now()
	if attempt.State == db.AttemptSent {
		hook = hook.Recovered()
		hook.Next = after
		return hook, nil
	}
	if attempt.Status == http.StatusGone {
		hook.Paused = "the receiver answered 410 Gone: it wants no more messages"
		return hook.Recovered(), nil
	}
	if hook.Tries == 0 {
		hook.FailingSince = now
	}
	hook.Tries++
	hook.RetryAt = now.Add(pauseAfter(hook.Tries))
	if now.Sub(hook.FailingSince) < GiveUpAfter {
		return hook, nil
	}
	hook = hook.Recovered()
	hook.Next = after
	return hook, tx.KeepDeadLetter(ctx, hook.ID, db.DeadLetter{
		MessageID: m.id, Kind: m.kind, Body: m.body, Error: describe(attempt), DiedAt: now,
	})
}

// pauseAfter is the pause after a number of failures, with a jitter of a tenth.
func pauseAfter(tries int32) time.Duration {
	pause := longestRetry
	if doublings := tries - 1; doublings < 16 { // more would overflow
		pause = min(firstRetry<<doublings, longestRetry)
	}
	return pause - rand.N(pause/10) //nolint:gosec // jitter needs no secrecy
}

// change changes a webhook that is where it was; false if another process moved it, or it is paused or gone.
func (s *Sender) change(
	ctx context.Context, before db.Webhook, change func(*db.Tx, *db.Webhook) error,
) (same bool, err error) {
	_, _, err = s.options.Record.ChangeWebhook(ctx, before.ID, func(tx *db.Tx, current *db.Webhook) error {
		if same = current.Next == before.Next && current.Paused == ""; !same {
			return nil
		}
		return change(tx, current)
	})
	return same, err
}

// describe is the result of an attempt in words.
func describe(attempt db.WebhookAttempt) string {
	if attempt.Status == 0 {
		return attempt.Error
	}
	text := fmt.Sprintf("%d %s", attempt.Status, http.StatusText(int(attempt.Status)))
	if attempt.Error != "" {
		text += ": " + attempt.Error
	}
	return text
}

// logFailure says once that a webhook fails, stops or gives a message up.
func (s *Sender) logFailure(ctx context.Context, hook db.Webhook, attempt db.WebhookAttempt) {
	host := ""
	if receiver, err := url.Parse(hook.URL); err == nil { // the rest of the URL may have a secret
		host = receiver.Host
	}
	if attempt.Status != 0 { // the text of the receiver may repeat its URL
		attempt.Error = ""
	}
	facts := []any{
		"webhook", hook.ID, "user_id", hook.Owner.UserID, "party", hook.Party, "receiver", host,
		"message", attempt.MessageID, "error", describe(attempt),
	}
	switch {
	case attempt.State == db.AttemptSent:
	case hook.Paused != "":
		s.logPause(ctx, hook)
	case hook.Tries == 1:
		s.options.Log.WarnContext(ctx, "the receiver of a webhook does not take a message; the node tries it again", facts...)
	case hook.Tries == 0:
		s.options.Log.WarnContext(ctx, "a message of a webhook is a dead letter now", facts...)
	}
}

func (s *Sender) logPause(ctx context.Context, hook db.Webhook) {
	if hook.Paused != "" {
		s.options.Log.WarnContext(ctx, "a webhook is paused", "webhook", hook.ID, "user_id", hook.Owner.UserID,
			"reason", hook.Paused)
	}
}
