package webhookapi

import (
	"bytes"
	"context"
	"net/http"
	"time"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/webhook"
)

const (
	// oldSecretFor is how long the secret before a rotation signs messages too.
	oldSecretFor = 24 * time.Hour
	// pageSize is the default length of a page, maxPage the longest.
	pageSize, maxPage = 100, 1000
)

type createRequest struct {
	Body CreateWebhookRequest `body:"json"`
}

func (a *API) create(ctx context.Context, req createRequest) (out WebhookSecretResponse, err error) {
	owner := endpoint.Claims(ctx).Identity()
	if owner.UserID == "" {
		return out, v0.BadRequest("A webhook belongs to a user, and the request has none: authorization is disabled.")
	}
	party := ledger.Party("")
	if req.Body.Party != nil {
		party = *req.Body.Party
	}
	hook := db.Webhook{
		ID: webhook.NewID(), Owner: owner, URL: req.Body.URL, Kinds: kindsOf(req.Body.Kinds), Party: party,
		Secret: webhook.NewSecret(), CreatedAt: a.now(),
	}
	if err := a.check(hook); err != nil {
		return out, err
	}
	if err := checkOwner(ctx, a.record, hook); err != nil {
		return out, err
	}
	made, _, err := decide(ctx, decision{Webhook: hook.ID, Signer: hook.Secret})
	if err != nil {
		return out, err
	}
	hook.ID, hook.Secret = made.Webhook, made.Signer
	created, full, err := a.record.CreateWebhook(ctx, hook, MaxOfUser)
	if full {
		return out, v0.Refuse(http.StatusConflict, "The user has %d webhooks already, as many as are allowed. Delete one, "+
			"or let one webhook have several kinds.", MaxOfUser)
	}
	return WebhookSecretResponse{toAPIWebhook(created, a.now()), webhook.ShowSecret(hook.Secret)}, err
}

// check checks what a client sets.
func (a *API) check(hook db.Webhook) error {
	if wrong := a.sender.CheckURL(hook.URL); wrong != "" {
		return v0.BadRequest("%s.", wrong)
	}
	if wrong := webhook.CheckKinds(hook.Kinds, hook.Party); wrong != "" {
		return v0.BadRequest("%s.", wrong)
	}
	return nil
}

func kindsOf(kinds []WebhookKind) []string {
	out := make([]string, len(kinds))
	for i, kind := range kinds {
		out[i] = string(kind)
	}
	return out
}

type listRequest struct {
	All   bool   `query:"all" doc:"The webhooks of all users; for administrators"`
	After string `query:"after" doc:"With all: the id of the last webhook of the page before"`
}

func (a *API) list(ctx context.Context, req listRequest) (out ListWebhooksResponse, err error) {
	claims := endpoint.Claims(ctx)
	var hooks []db.Webhook
	if req.All {
		if err := claims.RequireAdmin(); err != nil {
			return out, err
		}
		hooks, err = a.record.Webhooks(ctx, req.After, maxPage)
	} else {
		hooks, err = a.record.WebhooksOf(ctx, claims.Identity())
	}
	out.Webhooks = make([]Webhook, len(hooks))
	for i, hook := range hooks {
		out.Webhooks[i] = toAPIWebhook(hook, a.now())
	}
	return out, err
}

type idRequest struct {
	ID string `path:"id" doc:"Id of the webhook"`
}

func (a *API) get(ctx context.Context, req idRequest) (WebhookResponse, error) {
	hook, err := a.find(ctx, req.ID)
	return WebhookResponse{toAPIWebhook(hook, a.now())}, err
}

type updateRequest struct {
	ID   string               `path:"id" doc:"Id of the webhook"`
	Body UpdateWebhookRequest `body:"json"`
}

func (a *API) update(ctx context.Context, req updateRequest) (WebhookResponse, error) {
	return a.change(ctx, req.ID, func(tx *db.Tx, hook *db.Webhook) error {
		if req.Body.URL != nil {
			hook.URL = *req.Body.URL
		}
		if len(req.Body.Kinds) > 0 {
			hook.Kinds = kindsOf(req.Body.Kinds)
		}
		if err := a.check(*hook); err != nil {
			return err
		}
		if paused := req.Body.Paused; paused != nil && *paused {
			hook.Paused = "its owner or an administrator paused it"
			return nil
		} else if paused != nil {
			hook.Paused = ""
		}
		if hook.Paused == "" {
			if err := checkOwner(ctx, tx, *hook); err != nil {
				return err
			}
		}
		// What failed before may work now.
		hook.RetryAt, hook.CallAfter = time.Unix(0, 0), time.Unix(0, 0)
		return nil
	})
}

// change changes a webhook that the caller may change.
func (a *API) change(
	ctx context.Context, id string, change func(*db.Tx, *db.Webhook) error,
) (WebhookResponse, error) {
	if _, err := a.find(ctx, id); err != nil {
		return WebhookResponse{}, err
	}
	hook, found, err := a.record.ChangeWebhook(ctx, id, change)
	if err == nil && !found {
		err = notFound(id)
	}
	return WebhookResponse{toAPIWebhook(hook, a.now())}, err
}

func (a *API) rotate(ctx context.Context, req idRequest) (WebhookSecretResponse, error) {
	if _, err := a.find(ctx, req.ID); err != nil {
		return WebhookSecretResponse{}, err
	}
	made, _, err := decide(ctx, decision{Signer: webhook.NewSecret()})
	if err != nil {
		return WebhookSecretResponse{}, err
	}
	out, err := a.change(ctx, req.ID, func(_ *db.Tx, hook *db.Webhook) error {
		if bytes.Equal(hook.Secret, made.Signer) { // an earlier attempt of the request stored it
			return nil
		}
		hook.OldSecret, hook.OldSecretUntil = hook.Secret, a.now().Add(oldSecretFor)
		hook.Secret = made.Signer
		return nil
	})
	return WebhookSecretResponse{out.Webhook, webhook.ShowSecret(made.Signer)}, err
}

func (a *API) test(ctx context.Context, req idRequest) (out WebhookAttemptResponse, err error) {
	hook, err := a.find(ctx, req.ID)
	if err != nil {
		return out, err
	}
	return a.sendOnce(ctx, hook, webhook.NewTestID(hook.ID), func(message string) (db.WebhookAttempt, error) {
		return a.sender.Test(ctx, hook, message)
	})
}

type attemptsRequest struct {
	ID     string `path:"id" doc:"Id of the webhook"`
	Before *int64 `query:"before" doc:"Number of the last attempt of the page before"`
	Limit  *int64 `query:"limit" doc:"Maximum number of attempts, 1 to 1000; default 100"`
}

func (a *API) attempts(ctx context.Context, req attemptsRequest) (out ListWebhookAttemptsResponse, err error) {
	hook, err := a.find(ctx, req.ID)
	if err != nil {
		return out, err
	}
	before, limit := int64(1)<<62, int64(pageSize)
	if req.Before != nil {
		before = *req.Before
	}
	if req.Limit != nil {
		limit = *req.Limit
	}
	if limit < 1 || limit > maxPage {
		return out, v0.BadRequest("limit is %d; it must be from 1 to %d.", limit, maxPage)
	}
	found, err := a.record.WebhookAttempts(ctx, hook.ID, before, int32(limit))
	out.Attempts = make([]WebhookAttempt, len(found))
	for i, attempt := range found {
		out.Attempts[i] = toAPIAttempt(attempt)
	}
	return out, err
}

func (a *API) deadLetters(ctx context.Context, req idRequest) (out ListDeadLettersResponse, err error) {
	hook, err := a.find(ctx, req.ID)
	if err != nil {
		return out, err
	}
	missing, err := webhook.Missing(ctx, a.record, hook)
	if err != nil {
		return out, err
	}
	found, err := a.record.DeadLetters(ctx, hook.ID)
	out.DeadLetters = make([]DeadLetter, len(found))
	for i, letter := range found {
		out.DeadLetters[i] = DeadLetter{
			MessageID: letter.MessageID, Type: letter.Kind, Error: letter.Error, DiedAt: endpoint.Timestamp(letter.DiedAt),
		}
		if missing == "" {
			out.DeadLetters[i].Body = string(letter.Body)
		}
	}
	return out, err
}

type resendRequest struct {
	ID      string `path:"id" doc:"Id of the webhook"`
	Message string `path:"message_id" doc:"Id of the message"`
}

func (a *API) resend(ctx context.Context, req resendRequest) (out WebhookAttemptResponse, err error) {
	hook, err := a.find(ctx, req.ID)
	if err != nil {
		return out, err
	}
	if err := checkOwner(ctx, a.record, hook); err != nil {
		return out, err
	}
	return a.sendOnce(ctx, hook, req.Message, func(message string) (db.WebhookAttempt, error) {
		letter, found, err := a.record.DeadLetter(ctx, hook.ID, message)
		if err == nil && !found {
			err = v0.NotFound("The webhook has no dead letter %.200q.", message)
		}
		if err != nil {
			return db.WebhookAttempt{}, err
		}
		return a.sender.Resend(ctx, hook, letter)
	})
}
