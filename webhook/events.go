package webhook

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
)

// LedgerRenderer gives events of the ledger the shape that the API gives them.
type LedgerRenderer interface {
	// Completion shows a completion to a user, who sees the party of its acting parties.
	Completion(user ledger.User, rights []ledger.Right, party ledger.Party, completion ledger.Completion) any
	// Update shows a transaction to a party; false if nothing of it is visible.
	Update(ctx context.Context, party ledger.Party, update ledger.Update) (any, bool, error)
}

// WalletRenderer gives the history of wallets the shape that the API gives it.
type WalletRenderer interface {
	// Wallet lists the entries of a transaction in the history of a party's wallet.
	Wallet(ctx context.Context, party ledger.Party, update ledger.NetworkUpdate) ([]any, error)
}

// event is one event for a webhook.
type event struct {
	kind string
	// at is its place; after is the place behind it.
	at, after db.WebhookPlace
	when      time.Time
	// source names what it is about: the update, the submission, or the part of an alarm.
	source string
	data   any
}

// id is the id of its message, the same for each attempt. Another event at the same place, after the restore of an
// older backup, has another id.
func (e event) id(hook string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s", e.when.UnixMicro(), e.source))
	if e.kind == Alarm {
		return fmt.Sprintf("msg_%s_alarm_%d_%x", hook, e.at.Alarm, sum[:8])
	}
	return fmt.Sprintf("msg_%s_%d_%d_%x", hook, e.at.Offset, e.at.Index, sum[:8])
}

// maxBodyBytes is the longest body. Longer data is left out: the receiver reads it from the API.
const maxBodyBytes = 1 << 20

// tooLarge is the data of an event whose own is longer.
type tooLarge struct {
	TooLarge bool          `json:"tooLarge"`
	Offset   ledger.Offset `json:"offset"`
	Hint     string        `json:"hint"`
}

func (e event) message(hook string) (message, error) {
	body, err := bodyOf(e.kind, e.when, e.data)
	if err == nil && len(body) > maxBodyBytes {
		body, err = bodyOf(e.kind, e.when, tooLarge{
			true, e.at.Offset, "The event has more than 1 MiB. Read it from the API by its offset.",
		})
	}
	return message{id: e.id(hook), kind: e.kind, body: body}, err
}

// bodyOf is the body of a message of Standard Webhooks.
func bodyOf(kind string, when time.Time, data any) ([]byte, error) {
	return json.Marshal(struct {
		Type      string    `json:"type"`
		Timestamp time.Time `json:"timestamp"`
		Data      any       `json:"data"`
	}{kind, when.UTC(), data})
}

// The indexes of the events at one offset. Entries of the wallet follow.
const (
	completionIndex = iota
	updateIndex
	walletIndex
)

// pageSize is the number of entries of the record in one read.
const pageSize = 20

// page is a part of the events that wait for a webhook.
type page struct {
	events []event
	// end is the place behind the page, more reports whether the record goes on there.
	end  db.WebhookPlace
	more bool
	// lost is the next events if they are gone; nil if nothing is missing.
	lost *gap
}

// read reads the next events of a webhook.
func (s *Sender) read(ctx context.Context, hook db.Webhook) (page, error) {
	if slices.Contains(hook.Kinds, Alarm) {
		out, err := s.readAlarms(ctx, hook)
		if err != nil || out.lost != nil || len(out.events) > 0 {
			return out, err
		}
	}
	head, err := s.options.Record.Head(ctx)
	if err != nil {
		return page{}, err
	}
	if head.Pruned >= hook.Next.Offset {
		return page{lost: prunedGap(hook.Next, head.Pruned)}, nil
	}
	if hook.Party == "" || hook.Next.Offset > head.Offset {
		return page{end: hook.Next}, nil
	}
	entries, err := s.readEntries(ctx, hook, head)
	if err != nil {
		return page{}, err
	}
	out := page{end: hook.Next, more: entries.upTo < head.Offset}
	out.end.Offset, out.end.Index = entries.upTo+1, 0
	if out.events, err = s.render(ctx, hook, entries); err != nil {
		return page{}, err
	}
	// A prune that came in between may have taken some of them.
	if head, err = s.options.Record.Head(ctx); err == nil && head.Pruned >= hook.Next.Offset {
		return page{lost: prunedGap(hook.Next, head.Pruned)}, nil
	}
	return out, err
}

func (s *Sender) readAlarms(ctx context.Context, hook db.Webhook) (out page, err error) {
	changes, err := s.options.Record.AlarmChanges(ctx, hook.Next.Alarm, pageSize)
	out.end = hook.Next
	for _, change := range changes {
		at := hook.Next
		at.Alarm = change.Number
		out.end.Alarm = change.Number + 1
		out.events = append(out.events, event{
			kind: Alarm, at: at, after: out.end, when: change.At, source: change.Host + " " + change.Name,
			data: s.options.Alarm(change),
		})
	}
	out.more = true // the ledger's events come next
	if err != nil {
		return out, err
	}
	// Changes that were deleted meanwhile count too.
	trimmed, err := s.options.Record.LastTrimmedAlarm(ctx)
	if trimmed >= hook.Next.Alarm {
		out = page{lost: alarmGap(hook.Next, trimmed)}
	}
	return out, err
}

// entries are the entries of the record that concern a webhook, up to an offset.
type entries struct {
	completions []ledger.Completion
	updates     []ledger.Update
	upTo        ledger.Offset
}

func (s *Sender) readEntries(ctx context.Context, hook db.Webhook, head db.Head) (entries, error) {
	out := entries{upTo: head.Offset}
	parties := []ledger.Party{hook.Party}
	var err error
	if slices.Contains(hook.Kinds, Completion) {
		out.completions, err = s.options.Record.Completions(ctx, db.CompletionsQuery{
			User: &hook.Owner, Parties: parties, After: hook.Next.Offset - 1, UpTo: head.Offset, Limit: pageSize,
		})
		if err != nil {
			return out, err
		}
		if len(out.completions) == pageSize {
			out.upTo = out.completions[pageSize-1].Offset
		}
	}
	if slices.Contains(hook.Kinds, Update) || slices.Contains(hook.Kinds, Wallet) {
		out.updates, err = s.options.Record.Updates(ctx, db.UpdatesQuery{
			Parties: parties, After: hook.Next.Offset - 1, UpTo: out.upTo, Limit: pageSize,
		})
		if err != nil {
			return out, err
		}
		if len(out.updates) == pageSize {
			out.upTo = out.updates[pageSize-1].Offset
		}
	}
	return out, nil
}

// render makes the events of entries, in order, without those that are done.
func (s *Sender) render(ctx context.Context, hook db.Webhook, in entries) ([]event, error) {
	var events []event
	add := func(one event, offset ledger.Offset, index int) {
		at := db.WebhookPlace{Offset: offset, Index: int32(min(index, math.MaxInt32-1)), Alarm: hook.Next.Alarm}
		if offset > in.upTo || offset == hook.Next.Offset && at.Index < hook.Next.Index {
			return
		}
		one.at, one.after = at, at
		one.after.Index++
		events = append(events, one)
	}
	if err := s.renderCompletions(ctx, hook, in.completions, add); err != nil {
		return nil, err
	}
	for _, update := range in.updates {
		if update.Offset > in.upTo {
			break
		}
		if err := s.renderUpdate(ctx, hook, update, add); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(events, func(a, b event) int {
		return cmp.Or(cmp.Compare(a.at.Offset, b.at.Offset), cmp.Compare(a.at.Index, b.at.Index))
	})
	return events, nil
}

type addEvent func(one event, offset ledger.Offset, index int)

func (s *Sender) renderCompletions(
	ctx context.Context, hook db.Webhook, completions []ledger.Completion, add addEvent,
) error {
	if len(completions) == 0 {
		return nil
	}
	user, _, err := s.options.Record.User(ctx, hook.Owner)
	if err != nil {
		return err
	}
	rights, err := s.options.Record.UserRights(ctx, hook.Owner.UserID)
	for _, completion := range completions {
		add(event{
			kind: Completion, when: completion.RecordTime, source: completion.Key,
			data: s.options.Ledger.Completion(user, rights, hook.Party, completion),
		}, completion.Offset, completionIndex)
	}
	return err
}

func (s *Sender) renderUpdate(ctx context.Context, hook db.Webhook, update ledger.Update, add addEvent) error {
	if slices.Contains(hook.Kinds, Update) {
		shown, visible, err := s.options.Ledger.Update(ctx, hook.Party, update)
		if err != nil {
			return err
		}
		if visible {
			add(event{kind: Update, when: update.RecordTime, source: string(update.ID), data: shown}, update.Offset, updateIndex)
		}
	}
	if !slices.Contains(hook.Kinds, Wallet) {
		return nil
	}
	network, found, err := s.options.Record.NetworkUpdateByOffset(ctx, update.Offset)
	if err != nil || !found {
		return err
	}
	items, err := s.options.Wallets.Wallet(ctx, hook.Party, network)
	for i, item := range items {
		add(event{kind: Wallet, when: update.RecordTime, source: string(update.ID), data: item}, update.Offset, walletIndex+i)
	}
	return err
}
