package node

import (
	"context"
	"os"
	"time"

	"github.com/florinledger/florin/activities"
	"github.com/florinledger/florin/api/ledgerapi"
	"github.com/florinledger/florin/api/walletapi"
	"github.com/florinledger/florin/api/webhookapi"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/internal/wait"
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

// alarmInterval is the time between two looks for alarms.
const alarmInterval = 5 * time.Second

// alarms notes when a part of /readyz goes wrong or right again, while a webhook wants to know.
type alarms struct {
	node *Node
	host string
	// known is the state of each part, as it was noted last.
	known map[string]bool
	// waiting are the changes that the record does not have yet, because it was away.
	waiting []db.AlarmChange
}

// watchAlarms notes alarms in the background.
func (n *Node) watchAlarms(_, background context.Context) error {
	host, err := os.Hostname()
	if err != nil {
		return err
	}
	watch := &alarms{node: n, host: host, known: map[string]bool{}}
	trouble := wait.Trouble{Log: n.options.Log, What: "the node cannot note alarms for webhooks"}
	go trouble.Every(background, alarmInterval, watch.look)
	return nil
}

// look looks at the parts once. Without a webhook for alarms it costs one short query.
func (a *alarms) look(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, alarmInterval)
	defer cancel()
	_, wanted, err := a.node.Database.HasWebhooks(ctx)
	if err == nil && !wanted {
		clear(a.known)
		a.waiting = nil
		return nil
	}
	if a.node.stopping.Load() {
		return nil
	}
	for _, part := range a.node.readiness(ctx) {
		cause := part.Warning
		if part.Err != nil {
			cause = part.Err.Error()
		}
		raised := cause != ""
		if before, seen := a.known[part.Name]; seen && before == raised || err != nil && !seen {
			continue // nothing changed, or nobody is known to want alarms
		}
		a.known[part.Name] = raised
		a.waiting = append(a.waiting, db.AlarmChange{
			At: time.Now(), Host: a.host, Name: part.Name, Raised: raised, Cause: cause,
		})
	}
	for len(a.waiting) > 0 {
		if err := a.node.Database.NoteAlarm(ctx, a.waiting[0]); err != nil {
			return err
		}
		a.waiting = a.waiting[1:]
	}
	return nil
}
