package webhookapi

import (
	"time"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/webhook"
)

// WebhookKind is a kind of events.
type WebhookKind string

// Names implements [endpoint.Enum].
func (WebhookKind) Names() []string { return webhook.Kinds() }

// WebhookState is what a webhook does.
type WebhookState string

// The states.
const (
	StateActive  WebhookState = "active"
	StateFailing WebhookState = "failing"
	StatePaused  WebhookState = "paused"
)

// Names implements [endpoint.Enum].
func (WebhookState) Names() []string {
	return []string{string(StateActive), string(StateFailing), string(StatePaused)}
}

// CreateWebhookRequest asks for a webhook.
type CreateWebhookRequest struct {
	URL   string        `json:"url" required:"true" doc:"Address of the receiver: https, and no private address"`
	Kinds []WebhookKind `json:"kinds" required:"true" doc:"The kinds of events"`
	Party *ledger.Party `json:"party" doc:"The party whose events they are; not for alarms alone"`
}

// UpdateWebhookRequest changes a webhook.
type UpdateWebhookRequest struct {
	URL    *string       `json:"url" doc:"New address; default: no change"`
	Kinds  []WebhookKind `json:"kinds" doc:"New kinds; default: no change"`
	Paused *bool         `json:"paused" doc:"Whether to pause or to resume; default: no change"`
}

// Webhook is a subscription to events.
type Webhook struct {
	ID       string        `json:"id" required:"true" doc:"Its id"`
	URL      string        `json:"url" required:"true" doc:"Address of the receiver"`
	Kinds    []WebhookKind `json:"kinds" required:"true" doc:"The kinds of events"`
	Party    *ledger.Party `json:"party" doc:"The party whose events they are; null for alarms alone"`
	UserID   string        `json:"user_id" required:"true" doc:"The owner"`
	Provider string        `json:"identity_provider_id" required:"true" doc:"Identity provider of the owner; empty: default"`

	State        WebhookState        `json:"state" required:"true" doc:"failing: the next message is tried again and again"`
	PausedReason *string             `json:"paused_reason" doc:"Why nothing is sent; null unless paused"`
	Tries        int32               `json:"tries" required:"true" doc:"Failed attempts of the next message"`
	FailingSince *endpoint.Timestamp `json:"failing_since" doc:"Time of the first of them"`
	NextTry      *endpoint.Timestamp `json:"next_try" doc:"Time of the next attempt"`

	NextOffset     ledger.Offset       `json:"next_offset" required:"true" doc:"All events before this offset are done"`
	CreatedAt      endpoint.Timestamp  `json:"created_at" required:"true" doc:"Time of creation"`
	OldSecretUntil *endpoint.Timestamp `json:"old_secret_until" doc:"The secret before signs too until then; null for none"`
}

// WebhookResponse is a webhook.
type WebhookResponse struct {
	Webhook Webhook `json:"webhook" required:"true" doc:"The webhook"`
}

// WebhookSecretResponse is a webhook with its new secret.
type WebhookSecretResponse struct {
	Webhook Webhook `json:"webhook" required:"true" doc:"The webhook"`
	Secret  string  `json:"secret" required:"true" doc:"The secret for the receiver; no other answer shows it"`
}

// ListWebhooksResponse lists webhooks.
type ListWebhooksResponse struct {
	Webhooks []Webhook `json:"webhooks" required:"true" doc:"The webhooks, by id"`
}

// WebhookAttempt is an attempt to send a message.
type WebhookAttempt struct {
	Number    int64              `json:"number" required:"true" doc:"Later attempts have higher numbers"`
	MessageID string             `json:"message_id" required:"true" doc:"The webhook-id of the message, the same for each attempt"`
	Type      string             `json:"type" required:"true" doc:"The type of the message"`
	StartedAt endpoint.Timestamp `json:"started_at" required:"true" doc:"Time before the request"`
	State     string             `json:"state" required:"true" doc:"sent, failed, unreachable, unknown or skipped"`
	Status    *int32             `json:"status" doc:"HTTP status of the answer; null without one"`
	Error     string             `json:"error" required:"true" doc:"What went wrong, or the beginning of the answer"`
	Millis    int64              `json:"duration_ms" required:"true" doc:"Duration in milliseconds"`
}

// WebhookAttemptResponse is an attempt that was just made.
type WebhookAttemptResponse struct {
	Attempt WebhookAttempt `json:"attempt" required:"true" doc:"The attempt"`
}

// ListWebhookAttemptsResponse is a page of attempts.
type ListWebhookAttemptsResponse struct {
	Attempts []WebhookAttempt `json:"attempts" required:"true" doc:"The newest first"`
}

// DeadLetter is a message that the receiver did not take for a day.
type DeadLetter struct {
	MessageID string             `json:"message_id" required:"true" doc:"The webhook-id of the message"`
	Type      string             `json:"type" required:"true" doc:"The type of the message"`
	Error     string             `json:"error" required:"true" doc:"Result of the last attempt"`
	DiedAt    endpoint.Timestamp `json:"died_at" required:"true" doc:"When the node gave up"`
	Body      string             `json:"body" required:"true" doc:"The body of the message; empty while the owner may not have the events"`
}

// ListDeadLettersResponse lists dead letters.
type ListDeadLettersResponse struct {
	DeadLetters []DeadLetter `json:"dead_letters" required:"true" doc:"The oldest first"`
}

func toAPIWebhook(hook db.Webhook, now time.Time) Webhook {
	out := Webhook{
		ID: hook.ID, URL: hook.URL, Kinds: make([]WebhookKind, len(hook.Kinds)), UserID: hook.Owner.UserID,
		Provider: hook.Owner.IdentityProviderID, State: StateActive, Tries: hook.Tries,
		NextOffset: hook.Next.Offset, CreatedAt: endpoint.Timestamp(hook.CreatedAt),
	}
	for i, kind := range hook.Kinds {
		out.Kinds[i] = WebhookKind(kind)
	}
	if hook.Party != "" {
		out.Party = &hook.Party
	}
	if len(hook.OldSecret) > 0 && now.Before(hook.OldSecretUntil) {
		out.OldSecretUntil = new(endpoint.Timestamp(hook.OldSecretUntil))
	}
	if hook.Tries > 0 {
		out.State, out.FailingSince = StateFailing, new(endpoint.Timestamp(hook.FailingSince))
		out.NextTry = new(endpoint.Timestamp(hook.RetryAt))
	}
	if hook.Paused != "" {
		out.State, out.PausedReason, out.NextTry = StatePaused, &hook.Paused, nil
	}
	return out
}

func toAPIAttempt(attempt db.WebhookAttempt) WebhookAttempt {
	out := WebhookAttempt{
		Number: attempt.Number, MessageID: attempt.MessageID, Type: attempt.Kind,
		StartedAt: endpoint.Timestamp(attempt.StartedAt), State: attempt.State, Error: attempt.Error,
		Millis: attempt.Took.Milliseconds(),
	}
	if attempt.Status != 0 {
		out.Status = &attempt.Status
	}
	return out
}
