package workflows

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"go.temporal.io/sdk/client"

	"github.com/florinledger/florin/internal/wait"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/workflowid"
)

// WebhookRecord is the part of the record that a [WebhookCaller] uses.
type WebhookRecord interface {
	// TakeDue lists webhooks for which an event waits; for a while it does not return them again. anyRun is false if no
	// webhook runs.
	TakeDue(ctx context.Context) (ids []string, anyRun bool, err error)
}

// WebhookCallerOptions are the parts of a [WebhookCaller]; all are required.
type WebhookCallerOptions struct {
	Temporal client.Client
	Ledger   workflowid.Ledger
	Record   WebhookRecord
	// WaitAfter waits until the head of the record is after an offset.
	WaitAfter func(context.Context, ledger.Offset) (ledger.Offset, error)
	Log       *slog.Logger
}

// WebhookCaller starts the workflow of each webhook for which an event waits. Each process with a worker has one. It
// follows the head of the record beside the commits, and only while a webhook runs; else it asks every two seconds
// whether there is one.
type WebhookCaller struct {
	dispatcher

	options WebhookCallerOptions
	head    ledger.Offset
}

// NewWebhookCaller makes a caller.
func NewWebhookCaller(options WebhookCallerOptions) *WebhookCaller {
	c := &WebhookCaller{options: options}
	c.dispatcher = newDispatcher(c.callDue, &wait.Trouble{
		Log: options.Log, What: "the node cannot call the workflows of webhooks",
	})
	return c
}

func (c *WebhookCaller) callDue(ctx context.Context) error {
	ids, anyRun, err := c.options.Record.TakeDue(ctx)
	if err != nil {
		return err
	}
	var failures error
	for _, id := range ids {
		failures = errors.Join(failures, c.call(ctx, id))
	}
	if anyRun && failures == nil {
		c.followHead(ctx)
	}
	return failures
}

// webhookInterval is the shortest time between two looks for events.
const webhookInterval = 100 * time.Millisecond

// followHead waits for the next commit, after which the dispatcher looks again, but not more often than it must.
func (c *WebhookCaller) followHead(ctx context.Context) {
	waiting, cancel := context.WithTimeout(ctx, callPoll)
	defer cancel()
	head, err := c.options.WaitAfter(waiting, c.head)
	if err == nil && head > c.head {
		c.head = head
	}
	if wait.For(ctx, webhookInterval) == nil {
		c.Changed()
	}
}

func (c *WebhookCaller) call(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	options := start(c.options.Ledger, deliverWebhook, workflowid.Of("webhook", id), "Messages of the webhook "+id,
		AttributeKind.ValueSet(KindWebhook))
	_, err := c.options.Temporal.SignalWithStartWorkflow(ctx, options.ID, LookSignal, nil, options, deliverWebhook,
		DeliverWebhookInput{ID: id})
	return err
}
