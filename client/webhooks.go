package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// WebhooksPath is the path of webhooks.
const WebhooksPath = "/v0/webhooks"

// Webhook is a subscription to events.
type Webhook struct {
	ID    string   `json:"id"`
	URL   string   `json:"url"`
	Kinds []string `json:"kinds"`
	// Party is the party whose events they are; "" for alarms alone.
	Party  string `json:"party"`
	UserID string `json:"user_id"`
	// State is active, failing or paused.
	State string `json:"state"`
	// PausedReason says why nothing is sent; "" unless paused.
	PausedReason string    `json:"paused_reason"`
	Tries        int       `json:"tries"`
	FailingSince time.Time `json:"failing_since,omitzero"`
	NextTry      time.Time `json:"next_try,omitzero"`
	NextOffset   int64     `json:"next_offset"`
	CreatedAt    time.Time `json:"created_at"`
	// OldSecretUntil is how long the secret before the last rotation signs too.
	OldSecretUntil time.Time `json:"old_secret_until,omitzero"`
}

// WebhookAttempt is an attempt to send a message.
type WebhookAttempt struct {
	Number    int64     `json:"number"`
	MessageID string    `json:"message_id"`
	Type      string    `json:"type"`
	StartedAt time.Time `json:"started_at"`
	// State is sent, failed, unreachable, unknown or skipped.
	State string `json:"state"`
	// Status is the status of the answer; 0 without one.
	Status int    `json:"status"`
	Error  string `json:"error"`
	Millis int64  `json:"duration_ms"`
}

// DeadLetter is a message that its receiver did not take.
type DeadLetter struct {
	MessageID string    `json:"message_id"`
	Type      string    `json:"type"`
	Error     string    `json:"error"`
	DiedAt    time.Time `json:"died_at"`
	Body      string    `json:"body"`
}

// CreateWebhook subscribes to events, and returns the secret that signs the messages. party is "" for alarms alone.
func (c *Client) CreateWebhook(
	ctx context.Context, to string, kinds []string, party string,
) (hook Webhook, secret string, err error) {
	in := map[string]any{"url": to, "kinds": kinds}
	if party != "" {
		in["party"] = party
	}
	return c.secretOf(ctx, WebhooksPath, in)
}

func (c *Client) secretOf(ctx context.Context, path string, in any) (Webhook, string, error) {
	var out struct {
		Webhook Webhook `json:"webhook"`
		Secret  string  `json:"secret"`
	}
	err := c.Post(ctx, path, in, &out)
	return out.Webhook, out.Secret, err
}

// Webhooks lists the webhooks of the client's user, or with all those of all users.
func (c *Client) Webhooks(ctx context.Context, all bool) ([]Webhook, error) {
	path := WebhooksPath
	if all {
		path += "?all=true"
	}
	var out struct {
		Webhooks []Webhook `json:"webhooks"`
	}
	err := c.Get(ctx, path, &out)
	return out.Webhooks, err
}

// WebhookPath is the path of a webhook, or of something below it.
func WebhookPath(id string, below ...string) string {
	parts := []string{WebhooksPath, url.PathEscape(id)}
	for _, part := range below {
		parts = append(parts, url.PathEscape(part))
	}
	return strings.Join(parts, "/")
}

// Webhook gets a webhook.
func (c *Client) Webhook(ctx context.Context, id string) (Webhook, error) {
	return c.oneWebhook(ctx, http.MethodGet, id, nil)
}

// PauseWebhook pauses or resumes a webhook.
func (c *Client) PauseWebhook(ctx context.Context, id string, paused bool) (Webhook, error) {
	return c.oneWebhook(ctx, http.MethodPatch, id, map[string]any{"paused": paused})
}

func (c *Client) oneWebhook(ctx context.Context, method, id string, in any) (Webhook, error) {
	var out struct {
		Webhook Webhook `json:"webhook"`
	}
	err := c.Call(ctx, method, WebhookPath(id), in, &out)
	return out.Webhook, err
}

// DeleteWebhook deletes a webhook, with its log and its dead letters.
func (c *Client) DeleteWebhook(ctx context.Context, id string) error {
	return c.Call(ctx, http.MethodDelete, WebhookPath(id), nil, nil)
}

// RotateWebhook makes a new secret; the one before signs beside it for a day.
func (c *Client) RotateWebhook(ctx context.Context, id string) (Webhook, string, error) {
	return c.secretOf(ctx, WebhookPath(id, "rotate"), nil)
}

// TestWebhook sends a test message and returns the attempt.
func (c *Client) TestWebhook(ctx context.Context, id string) (WebhookAttempt, error) {
	return c.attempt(ctx, WebhookPath(id, "test"))
}

// ResendDeadLetter sends a dead letter again and returns the attempt.
func (c *Client) ResendDeadLetter(ctx context.Context, id, message string) (WebhookAttempt, error) {
	return c.attempt(ctx, WebhookPath(id, "dead-letters", message, "resend"))
}

func (c *Client) attempt(ctx context.Context, path string) (WebhookAttempt, error) {
	var out struct {
		Attempt WebhookAttempt `json:"attempt"`
	}
	err := c.Post(ctx, path, nil, &out)
	return out.Attempt, err
}

// WebhookAttempts lists the attempts before a number, the newest first; 0 lists the newest.
func (c *Client) WebhookAttempts(ctx context.Context, id string, before int64, limit int) ([]WebhookAttempt, error) {
	query := url.Values{"limit": {strconv.Itoa(limit)}}
	if before > 0 {
		query.Set("before", strconv.FormatInt(before, 10))
	}
	var out struct {
		Attempts []WebhookAttempt `json:"attempts"`
	}
	err := c.Get(ctx, WebhookPath(id, "attempts")+"?"+query.Encode(), &out)
	return out.Attempts, err
}

// DeadLetters lists the messages that the receiver did not take, the oldest first.
func (c *Client) DeadLetters(ctx context.Context, id string) ([]DeadLetter, error) {
	var out struct {
		DeadLetters []DeadLetter `json:"dead_letters"`
	}
	err := c.Get(ctx, WebhookPath(id, "dead-letters"), &out)
	return out.DeadLetters, err
}
