package node

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/florinledger/florin/activities"
	"github.com/florinledger/florin/api/ledgerapi"
	"github.com/florinledger/florin/api/walletapi"
	"github.com/florinledger/florin/api/webhookapi"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/webhook"
	"github.com/florinledger/florin/workflows"
)

// prepareWebhooks makes the sender of messages, and its endpoints: a worker sends the messages of events, and an API those
// that owners ask for.
func (n *Node) prepareWebhooks(context.Context, context.Context) (err error) {
	n.webhooks, err = webhook.New(webhook.Options{
		Record: n.Database, Now: time.Now, Log: n.options.Log, Count: n.metrics.WebhookAttempt,
		AllowPrivate: n.options.Settings.WebhookPrivateAddresses || n.options.Development,
		Ledger:       ledgerapi.NewRenderer(n.Identity, n.catalog),
		Wallets:      walletapi.NewRenderer(n.Database, n.clock.Now),
		Alarm:        webhookapi.RenderAlarm,
	})
	if err == nil {
		n.webhookAPI, err = webhookapi.New(n.Database, n.webhooks, time.Now)
	}
	return err
}

// deliveries is the sender for activities.
type deliveries struct{ sender *webhook.Sender }

// Deliver implements [activities.Webhooks].
func (d deliveries) Deliver(ctx context.Context, id string) (over bool, pause time.Duration, err error) {
	outcome, err := d.sender.Deliver(ctx, id)
	return outcome.Over, outcome.Wait, err
}

// callWebhooks is the loop that starts the workflows of webhooks.
func (n *Node) callWebhooks() func(context.Context) {
	return workflows.NewWebhookCaller(workflows.WebhookCallerOptions{
		Temporal: n.temporal, Ledger: n.ledger, Record: &activities.WebhookCalls{DB: n.Database, Now: time.Now},
		WaitAfter: n.watcher.WaitAfter, Log: n.options.Log,
	}).Run
}

// webhooksPart is the part of /readyz that warns of webhooks.
const webhooksPart = "webhooks"

// failingWebhook warns of the webhook that has failed longest; "" if none fails. /readyz is public, so only the log and
// florin doctor name its owner and its receiver.
func failingWebhook(hook db.FailingWebhook) string {
	if hook.Count == 0 {
		return ""
	}
	text := fmt.Sprintf("%s fails since %s", hook.ID, hook.Since.UTC().Format(time.RFC3339))
	switch {
	case hook.Tries == 1:
		text += ", its message was tried once"
	case hook.Tries > 1:
		text += fmt.Sprintf(", its message was tried %d times", hook.Tries)
	}
	switch {
	case hook.DeadLetters == 1:
		text += ", 1 dead letter waits"
	case hook.DeadLetters > 1:
		text += fmt.Sprintf(", %d dead letters wait", hook.DeadLetters)
	}
	switch hook.LastState {
	case db.AttemptFailed:
		text += strings.TrimSpace(fmt.Sprintf(", last answer: %d %s", hook.LastStatus, http.StatusText(int(hook.LastStatus))))
	case db.AttemptUnreachable:
		text += ", last attempt: no connection"
	case db.AttemptUnknown:
		text += ", last attempt: no answer"
	}
	switch {
	case hook.Count == 2:
		text += "; so does 1 other"
	case hook.Count > 2:
		text += fmt.Sprintf("; so do %d others", hook.Count-1)
	}
	return text + "; see florin webhook show " + hook.ID
}
