package activities

import (
	"context"
	"time"

	"github.com/florinledger/florin/db"
)

// Webhooks sends the messages of webhooks.
type Webhooks interface {
	// Deliver sends messages that wait for a webhook, for a while. It reports whether nothing waits any more, and else
	// the pause before the next call.
	Deliver(ctx context.Context, id string) (over bool, pause time.Duration, err error)
}

// DeliverWebhookInput names a webhook.
type DeliverWebhookInput struct {
	ID string `json:"id"`
}

// DeliverWebhookResult says when the webhook needs another call.
type DeliverWebhookResult struct {
	// Over: nothing waits for it, or it is paused or gone.
	Over bool `json:"over,omitempty"`
	// Pause is the time before the next call.
	Pause time.Duration `json:"pause,omitempty"`
}

// DeliverWebhook sends messages of a webhook. It takes nothing but the id from Temporal: what is sent, to whom, and
// whether the owner may have it is in the record.
func (a *Activities) DeliverWebhook(ctx context.Context, in DeliverWebhookInput) (DeliverWebhookResult, error) {
	if a.Webhooks == nil {
		return DeliverWebhookResult{Over: true}, nil
	}
	over, pause, err := a.Webhooks.Deliver(ctx, in.ID)
	return DeliverWebhookResult{Over: over, Pause: pause}, err
}

// WebhookCalls is the part of the record that the caller of webhooks uses.
type WebhookCalls struct {
	DB *db.DB
	// Now is real time.
	Now func() time.Time

	settled time.Time
}

const (
	// maxWebhookCalls is how many webhooks are called together.
	maxWebhookCalls = 64
	// settleInterval is the time between two moves of webhooks for which nothing waits.
	settleInterval = 30 * time.Second
)

// TakeDue lists webhooks for which an event waits. anyRun is false if no webhook runs. One goroutine calls it.
func (w *WebhookCalls) TakeDue(ctx context.Context) (ids []string, anyRun bool, err error) {
	if anyRun, _, err = w.DB.HasWebhooks(ctx); err != nil || !anyRun {
		return nil, anyRun, err
	}
	now := w.Now()
	if now.Sub(w.settled) > settleInterval {
		if err := w.DB.SettleWebhooks(ctx); err != nil {
			return nil, true, err
		}
		w.settled = now
	}
	ids, err = w.DB.TakeDueWebhooks(ctx, now, maxWebhookCalls)
	return ids, true, err
}
