package webhookapi

import (
	"context"
	"encoding/json"
	"math"

	"github.com/florinledger/florin/api/changes"
	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/db"
)

// decision is what the first attempt of a request with an Idempotency-Key chose, so that a repeat chooses the same.
type decision struct {
	// Webhook is the webhook that the request makes, and Signer the secret.
	Webhook string `json:"webhook,omitempty"`
	Signer  []byte `json:"signer,omitempty"`
	// Message is the message that it sends, after the attempt with a number.
	Message string `json:"message,omitempty"`
	After   int64  `json:"after,omitempty"`
}

// decide stores a new decision, or returns the one of an earlier attempt of the request.
func decide(ctx context.Context, first decision) (_ decision, isRepeat bool, err error) {
	attempt := changes.AttemptOf(ctx)
	text, isRepeat, err := attempt.Decided(ctx)
	if err != nil {
		return first, false, err
	}
	if isRepeat {
		return first, true, json.Unmarshal([]byte(text), &first)
	}
	note, err := json.Marshal(first)
	if err == nil {
		err = attempt.Decide(ctx, string(note))
	}
	return first, false, err
}

// sendOnce sends a message by hand, unless an earlier attempt of the request has: then it returns what became of that.
func (a *API) sendOnce(
	ctx context.Context, hook db.Webhook, message string, send func(message string) (db.WebhookAttempt, error),
) (WebhookAttemptResponse, error) {
	log, err := a.record.WebhookAttempts(ctx, hook.ID, math.MaxInt64, 1)
	if err != nil {
		return WebhookAttemptResponse{}, err
	}
	made := decision{Message: message}
	for _, newest := range log {
		made.After = newest.Number
	}
	made, isRepeat, err := decide(ctx, made)
	if err != nil {
		return WebhookAttemptResponse{}, err
	}
	if isRepeat {
		if log, err = a.record.WebhookAttempts(ctx, hook.ID, math.MaxInt64, maxPage); err != nil {
			return WebhookAttemptResponse{}, err
		}
		for _, attempt := range log {
			if attempt.Number > made.After && attempt.MessageID == made.Message {
				return WebhookAttemptResponse{toAPIAttempt(attempt)}, nil
			}
		}
	}
	attempt, err := send(made.Message)
	return WebhookAttemptResponse{toAPIAttempt(attempt)}, err
}

func (a *API) remove(ctx context.Context, req idRequest) (endpoint.Empty, error) {
	_, isRepeat, err := changes.AttemptOf(ctx).Decided(ctx)
	if err != nil {
		return endpoint.Empty{}, err
	}
	if !isRepeat { // else it is gone already
		if _, err := a.find(ctx, req.ID); err != nil {
			return endpoint.Empty{}, err
		}
		if _, _, err := decide(ctx, decision{Webhook: req.ID}); err != nil {
			return endpoint.Empty{}, err
		}
	}
	deleted, err := a.record.DeleteWebhook(ctx, req.ID)
	if err == nil && !deleted && !isRepeat {
		err = notFound(req.ID)
	}
	return endpoint.Empty{}, err
}
