package db

import (
	"context"
	"time"

	"github.com/florinledger/florin/db/dbgen"
	"github.com/florinledger/florin/ledger"
)

// Webhook is a subscription of a user to events, which the node posts to an address.
type Webhook struct {
	ID    string
	Owner ledger.Identity
	URL   string
	// Kinds are the kinds of events, as package webhook names them.
	Kinds []string
	// Party is the party whose events they are; "" for alarms alone.
	Party ledger.Party
	// Secret signs messages. OldSecret, the one before, signs them too until OldSecretUntil.
	Secret, OldSecret []byte
	OldSecretUntil    time.Time
	// Paused says why nothing is sent; "" while the webhook runs.
	Paused string
	// Next is the place of the next event.
	Next WebhookPlace
	// Tries counts the failed attempts of the next message, since FailingSince; RetryAt is the time of the next attempt.
	Tries                 int32
	FailingSince, RetryAt time.Time
	// CallAfter is when the workflow of the webhook may be called again.
	CallAfter time.Time
	CreatedAt time.Time
}

// WebhookPlace is how far a webhook has come: everything before the offset is done, and at the offset all events before
// the index; and all alarms before the number.
type WebhookPlace struct {
	Offset ledger.Offset
	Index  int32
	Alarm  int64
}

// Recovered is the webhook without the failures of its next message.
func (w Webhook) Recovered() Webhook {
	w.Tries, w.FailingSince, w.RetryAt = 0, epoch, epoch
	return w
}

// epoch stands for no time.
var epoch = time.Unix(0, 0).UTC()

// CreateWebhook stores a webhook that begins with the next event, unless its user has as many as the limit.
func (d *DB) CreateWebhook(ctx context.Context, hook Webhook, limit int64) (created Webhook, full bool, err error) {
	err = d.InTx(ctx, func(tx *Tx) error {
		if _, err := tx.holdUser(ctx, hook.Owner.UserID); err != nil {
			return failed("creating a webhook", err)
		}
		var known bool
		if created, known, err = tx.Webhook(ctx, hook.ID); known || err != nil { // an earlier attempt has made it
			return err
		}
		count, err := tx.queries.CountWebhooks(ctx, dbgen.CountWebhooksParams{
			UserID: hook.Owner.UserID, IdentityProviderID: hook.Owner.IdentityProviderID,
		})
		if full = count >= limit; full || err != nil {
			return failed("counting webhooks", err)
		}
		err = tx.queries.InsertWebhook(ctx, dbgen.InsertWebhookParams{
			WebhookID: hook.ID, IdentityProviderID: hook.Owner.IdentityProviderID, UserID: hook.Owner.UserID,
			Url: hook.URL, Kinds: hook.Kinds, Party: hook.Party, Secret: hook.Secret, CreatedAt: hook.CreatedAt,
		})
		if err != nil {
			return failed("creating a webhook", err)
		}
		created, _, err = tx.Webhook(ctx, hook.ID)
		return err
	})
	return created, full, err
}

// Webhook finds a webhook; false if there is none.
func (r Reader) Webhook(ctx context.Context, id string) (Webhook, bool, error) {
	row, err := r.queries.GetWebhook(ctx, id)
	return fromDBFoundWebhook(row, err)
}

// Webhooks pages through the webhooks of all users in order of their ids.
func (r Reader) Webhooks(ctx context.Context, after string, limit int32) ([]Webhook, error) {
	rows, err := r.queries.ListWebhooks(ctx, dbgen.ListWebhooksParams{After: after, CountMax: limit})
	return fromDBWebhooks(rows), failed("listing webhooks", err)
}

// WebhooksOf lists the webhooks of a user.
func (r Reader) WebhooksOf(ctx context.Context, owner ledger.Identity) ([]Webhook, error) {
	rows, err := r.queries.ListWebhooksOf(ctx, dbgen.ListWebhooksOfParams{
		UserID: owner.UserID, IdentityProviderID: owner.IdentityProviderID,
	})
	return fromDBWebhooks(rows), failed("listing the webhooks of a user", err)
}

// HoldWebhook finds a webhook, and lets nobody else change it until the transaction ends; false if there is none.
func (t *Tx) HoldWebhook(ctx context.Context, id string) (Webhook, bool, error) {
	row, err := t.queries.HoldWebhook(ctx, id)
	return fromDBFoundWebhook(row, err)
}

// StoreWebhook stores a webhook that the transaction holds.
func (t *Tx) StoreWebhook(ctx context.Context, hook Webhook) error {
	var oldSecretUntil *time.Time
	if len(hook.OldSecret) > 0 {
		oldSecretUntil = &hook.OldSecretUntil
	}
	return failed("storing a webhook", t.queries.StoreWebhook(ctx, dbgen.StoreWebhookParams{
		WebhookID: hook.ID, Url: hook.URL, Kinds: hook.Kinds, Secret: hook.Secret, OldSecret: hook.OldSecret,
		OldSecretUntil: oldSecretUntil, Paused: hook.Paused, NextOffset: int64(hook.Next.Offset),
		NextIndex: hook.Next.Index, NextAlarm: hook.Next.Alarm, Tries: hook.Tries, FailingSince: hook.FailingSince,
		RetryAt: hook.RetryAt, CallAfter: hook.CallAfter,
	}))
}

// ChangeWebhook changes a webhook; its error ends the change. It reports whether there is one.
func (d *DB) ChangeWebhook(
	ctx context.Context, id string, change func(*Tx, *Webhook) error,
) (hook Webhook, found bool, err error) {
	err = d.InTx(ctx, func(tx *Tx) error {
		if hook, found, err = tx.HoldWebhook(ctx, id); err != nil || !found {
			return err
		}
		if err := change(tx, &hook); err != nil {
			return err
		}
		return tx.StoreWebhook(ctx, hook)
	})
	return hook, found, err
}

// DeleteWebhook deletes a webhook with its log and its dead letters; false if there is none.
func (d *DB) DeleteWebhook(ctx context.Context, id string) (bool, error) {
	deleted := int64(0)
	err := d.InTx(ctx, func(tx *Tx) (err error) {
		deleted, err = tx.queries.DeleteWebhook(ctx, id)
		return failed("deleting a webhook", err)
	})
	return deleted > 0, err
}

// deleteWebhooksOf deletes the webhooks of a user.
func (t *Tx) deleteWebhooksOf(ctx context.Context, owner ledger.Identity) error {
	return failed("deleting the webhooks of a user", t.queries.DeleteWebhooksOf(ctx, dbgen.DeleteWebhooksOfParams{
		UserID: owner.UserID, IdentityProviderID: owner.IdentityProviderID,
	}))
}

// moveWebhooks hands the webhooks of a user to its identity at another identity provider.
func (t *Tx) moveWebhooks(ctx context.Context, from, to ledger.Identity) error {
	return failed("moving the webhooks of a user", t.queries.MoveWebhooksOf(ctx, dbgen.MoveWebhooksOfParams{
		UserID: from.UserID, Source: from.IdentityProviderID, Target: to.IdentityProviderID,
	}))
}

// PauseWebhooks pauses all webhooks that run, for a reason, and returns their number.
func (d *DB) PauseWebhooks(ctx context.Context, reason string) (paused int64, err error) {
	err = d.InTx(ctx, func(tx *Tx) (err error) {
		paused, err = tx.queries.PauseWebhooks(ctx, reason)
		return failed("pausing webhooks", err)
	})
	return paused, err
}

// TakeDueWebhooks lists webhooks for which an event waits. For a while it does not return them again.
func (d *DB) TakeDueWebhooks(ctx context.Context, now time.Time, limit int32) ([]string, error) {
	due, err := d.queries.TakeDueWebhooks(ctx, dbgen.TakeDueWebhooksParams{Now: now, CountMax: limit})
	return due, failed("looking for webhooks to call", err)
}

// SettleWebhooks moves running webhooks for which nothing waits behind the head.
func (d *DB) SettleWebhooks(ctx context.Context) error {
	head, err := d.Head(ctx)
	if err != nil {
		return err
	}
	return failed("settling webhooks", d.queries.SettleWebhooks(ctx, int64(head.Offset)+1))
}

// HasWebhooks reports whether any webhook runs, and whether any has alarms.
func (r Reader) HasWebhooks(ctx context.Context) (running, alarms bool, err error) {
	row, err := r.queries.HasWebhooks(ctx)
	return row.Running, row.Alarms, failed("looking for webhooks", err)
}

// FailingWebhook is the webhook that has failed longest; the zero value if none fails.
type FailingWebhook struct {
	ID string
	// Tries is the number of failed attempts of its next message, DeadLetters of messages that were given up.
	Tries       int32
	DeadLetters int64
	Since       time.Time
	// LastState and LastStatus are the result of its last failed attempt; "" and 0 if the log has none.
	LastState  string
	LastStatus int32
	// Count is the number of webhooks that fail.
	Count int64
	// OnlyAlarms: all of them fail with nothing but an alarm of the given name.
	OnlyAlarms bool
}

// FailingWebhook finds the running webhook that has failed longest: it has tried its next message so many times, or it
// has dead letters. alarm is the name of the alarm of this trouble.
func (r Reader) FailingWebhook(ctx context.Context, fewestTries int32, alarm string) (FailingWebhook, error) {
	row, err := r.queries.FailingWebhook(ctx, dbgen.FailingWebhookParams{FewestTries: fewestTries, Alarm: alarm})
	if isNoRows(err) {
		return FailingWebhook{}, nil
	}
	return FailingWebhook{
		ID: row.WebhookID, Tries: row.Tries, DeadLetters: row.DeadLetters, Since: row.Since,
		LastState: row.LastState, LastStatus: row.LastStatus, Count: row.FailingCount, OnlyAlarms: row.OnlyAlarms,
	}, failed("looking for webhooks that fail", err)
}

func fromDBFoundWebhook(row dbgen.Webhook, err error) (Webhook, bool, error) {
	if isNoRows(err) {
		return Webhook{}, false, nil
	}
	return fromDBWebhook(row), err == nil, failed("reading a webhook", err)
}

func fromDBWebhooks(rows []dbgen.Webhook) []Webhook {
	hooks := make([]Webhook, len(rows))
	for i, row := range rows {
		hooks[i] = fromDBWebhook(row)
	}
	return hooks
}

func fromDBWebhook(row dbgen.Webhook) Webhook {
	hook := Webhook{
		ID: row.WebhookID, Owner: ledger.Identity{IdentityProviderID: row.IdentityProviderID, UserID: row.UserID},
		URL: row.Url, Kinds: row.Kinds, Party: row.Party, Secret: row.Secret, OldSecret: row.OldSecret,
		Paused: row.Paused,
		Next:   WebhookPlace{Offset: ledger.Offset(row.NextOffset), Index: row.NextIndex, Alarm: row.NextAlarm},
		Tries:  row.Tries, FailingSince: row.FailingSince, RetryAt: row.RetryAt, CallAfter: row.CallAfter,
		CreatedAt: row.CreatedAt,
	}
	if row.OldSecretUntil != nil {
		hook.OldSecretUntil = *row.OldSecretUntil
	}
	return hook
}
