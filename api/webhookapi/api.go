// Package webhookapi has the endpoints of webhooks: users subscribe to events, and see what became of the messages.
package webhookapi

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/webhook"
)

// MaxOfUser is how many webhooks a user may have.
const MaxOfUser = 20

// Path is the path of the webhooks.
const Path = "/v0/webhooks"

// Record stores webhooks.
type Record interface {
	webhook.Rights
	CreateWebhook(ctx context.Context, hook db.Webhook, limit int64) (created db.Webhook, full bool, err error)
	Webhook(ctx context.Context, id string) (db.Webhook, bool, error)
	Webhooks(ctx context.Context, after string, limit int32) ([]db.Webhook, error)
	WebhooksOf(ctx context.Context, owner ledger.Identity) ([]db.Webhook, error)
	ChangeWebhook(
		ctx context.Context, id string, change func(*db.Tx, *db.Webhook) error,
	) (hook db.Webhook, found bool, err error)
	DeleteWebhook(ctx context.Context, id string) (bool, error)
	WebhookAttempts(ctx context.Context, hook string, before int64, limit int32) ([]db.WebhookAttempt, error)
	DeadLetters(ctx context.Context, hook string) ([]db.DeadLetter, error)
	DeadLetter(ctx context.Context, hook, message string) (db.DeadLetter, bool, error)
}

// Sender sends messages by hand.
type Sender interface {
	// CheckURL explains what is wrong with a URL; "" for nothing.
	CheckURL(url string) string
	Test(ctx context.Context, hook db.Webhook, message string) (db.WebhookAttempt, error)
	Resend(ctx context.Context, hook db.Webhook, letter db.DeadLetter) (db.WebhookAttempt, error)
}

// API serves webhooks.
type API struct {
	record Record
	sender Sender
	now    func() time.Time
}

// New makes the API. now is real time.
func New(record Record, sender Sender, now func() time.Time) (*API, error) {
	if record == nil || sender == nil || now == nil {
		return nil, errors.New("the endpoints of webhooks need a record, a sender and a clock")
	}
	return &API{record, sender, now}, nil
}

// Endpoints lists the family.
func (a *API) Endpoints() []endpoint.Endpoint {
	info := func(method, path, id, summary, description string) endpoint.Info {
		made := endpoint.Info{
			Method: method, Path: Path + path, OperationID: id, Tag: "Webhooks", Access: endpoint.Public,
			Summary: summary, Description: description,
		}
		if made.Changes() {
			made.Authorize = a.authorize
		}
		return made
	}
	return []endpoint.Endpoint{
		endpoint.New(info(http.MethodPost, "", "createWebhook", "Subscribe to events.",
			"The node posts each event to the URL, as Standard Webhooks says: at least once, and in order. The webhook "+
				"begins with the next event. `completion`, `update` and `wallet` need the right to read as the party, "+
				"`alarm` needs ParticipantAdmin. The answer has the secret that signs messages; no other answer shows it. "+
				"A user has at most 20 webhooks."), a.create),
		endpoint.New(info(http.MethodGet, "", "listWebhooks", "List the caller's webhooks.",
			"Administrators list those of all users with `all`."), a.list),
		endpoint.New(info(http.MethodGet, "/{id}", "getWebhook", "Get a webhook.",
			"Administrators may see and change the webhooks of all users."), a.get),
		endpoint.New(info(http.MethodPatch, "/{id}", "updateWebhook",
			"Change the URL or the kinds of a webhook, pause it or resume it.",
			"A resumed webhook goes on with the event that it stopped at."), a.update),
		endpoint.New(info(http.MethodDelete, "/{id}", "deleteWebhook",
			"Delete a webhook, with its log and its dead letters.",
			"A message that is on its way still arrives; no other one is sent."), a.remove),
		endpoint.New(info(http.MethodPost, "/{id}/rotate", "rotateWebhookSecret", "Get a new secret.",
			"Messages have two signatures for 24 hours: by the new secret and by the one before."), a.rotate),
		endpoint.New(info(http.MethodPost, "/{id}/test", "testWebhook",
			"Send a message of the type webhook.test now, and get the receiver's answer.", ""), a.test),
		endpoint.New(info(http.MethodGet, "/{id}/attempts", "listWebhookAttempts",
			"List the attempts to send messages, the newest first.",
			"Each attempt is stored before its request. `sent` and `failed`: the receiver has got the message and answered. "+
				"`unreachable`: the request did not leave the node. `unknown`: the receiver may have got it. `skipped`: the "+
				"record was pruned before the events were sent. The newest 1000 are kept."), a.attempts),
		endpoint.New(info(http.MethodGet, "/{id}/dead-letters", "listDeadLetters",
			"List the messages that the receiver did not take for a day.", "The newest 100 are kept."), a.deadLetters),
		endpoint.New(info(http.MethodPost, "/{id}/dead-letters/{message_id}/resend", "resendDeadLetter",
			"Send a dead letter again now, and get the receiver's answer.",
			"If the receiver accepts it, it is no dead letter any more."), a.resend),
	}
}

// authorize admits who may have webhooks to make one, and whom a webhook belongs to to change it. Whoever repeats a
// deletion with an Idempotency-Key gets the first answer, although the webhook is gone.
func (a *API) authorize(ctx context.Context) (context.Context, error) {
	claims := endpoint.Claims(ctx)
	if err := claims.Require(); err != nil {
		return ctx, err
	}
	mayHave := func() error {
		if claims.IsAdmin() {
			return nil
		}
		return claims.RequireAsSome(ledger.CanReadAs)
	}
	method, uri := endpoint.Requested(ctx)
	id, isOne := idIn(uri)
	if !isOne {
		return ctx, mayHave()
	}
	if method == http.MethodDelete {
		if _, found, err := a.record.Webhook(ctx, id); err != nil {
			return ctx, err
		} else if !found {
			return ctx, mayHave()
		}
	}
	_, err := a.find(ctx, id)
	return ctx, err
}

// idIn is the id of the webhook in a request's path; false for the path of all webhooks.
func idIn(uri string) (id string, ok bool) {
	path, _, _ := strings.Cut(uri, "?")
	_, rest, _ := strings.Cut(path, Path)
	id, _, _ = strings.Cut(strings.TrimPrefix(rest, "/"), "/")
	id, err := url.PathUnescape(id)
	return id, err == nil && id != ""
}

// find finds a webhook of the caller, or for administrators of anybody.
func (a *API) find(ctx context.Context, id string) (db.Webhook, error) {
	hook, found, err := a.record.Webhook(ctx, id)
	if err != nil {
		return hook, err
	}
	claims := endpoint.Claims(ctx)
	if !found || hook.Owner != claims.Identity() && !claims.IsAdmin() {
		return hook, notFound(id)
	}
	return hook, nil
}

func notFound(id string) error {
	return v0.NotFound("There is no webhook %.100q. GET %s lists the webhooks.", id, Path)
}

// checkOwner refuses a webhook whose owner may not have its events.
func checkOwner(ctx context.Context, record webhook.Rights, hook db.Webhook) error {
	why, err := webhook.Missing(ctx, record, hook)
	switch {
	case err != nil || why == "":
		return err
	case hook.Owner == endpoint.Claims(ctx).Identity():
		return v0.Refuse(http.StatusForbidden, "Such a webhook is not allowed: %s.", why)
	default: // an administrator: not the caller lacks the right
		return v0.Refuse(http.StatusConflict, "The owner of the webhook may not have its events: %s. Give the right to the "+
			"owner, with POST /v2/users/{user-id}/rights, and resume the webhook then.", why)
	}
}
