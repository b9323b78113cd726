package webhook

import (
	"context"
	"fmt"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
)

// gap is events that were deleted before a webhook had them.
type gap struct {
	// after is the place behind it.
	after db.WebhookPlace
	// id tells it from other gaps of the webhook.
	id, reason string
}

// prunedGap is the gap of a webhook after a prune up to an offset.
func prunedGap(next db.WebhookPlace, pruned ledger.Offset) *gap {
	after := db.WebhookPlace{Offset: pruned + 1, Alarm: next.Alarm}
	return &gap{after, fmt.Sprintf("pruned_%d", pruned), fmt.Sprintf(
		"the record was pruned up to offset %d: events from offset %d on are gone, and the webhook goes on after the "+
			"pruned offset", pruned, next.Offset)}
}

// alarmGap is the gap of a webhook when the changes of alarms up to a number are deleted.
func alarmGap(next db.WebhookPlace, trimmed int64) *gap {
	after := next
	after.Alarm = trimmed + 1
	return &gap{after, fmt.Sprintf("alarms_%d", trimmed), fmt.Sprintf(
		"the node keeps the newest %d changes of alarms: those from number %d to %d are gone, and the webhook goes on "+
			"after them", db.KeptAlarmChanges, next.Alarm, trimmed)}
}

// skip moves a webhook behind events that are gone, and says so in its log.
func (s *Sender) skip(ctx context.Context, hook db.Webhook, lost gap) error {
	_, err := s.change(ctx, hook, func(tx *db.Tx, current *db.Webhook) error {
		*current = current.Recovered()
		current.Next = lost.after
		_, err := tx.BeginAttempt(ctx, current.ID, db.WebhookAttempt{
			MessageID: "msg_" + current.ID + "_" + lost.id, Kind: "webhook.skipped",
			StartedAt: s.options.Now(), State: db.AttemptSkipped, Error: lost.reason,
		})
		return err
	})
	if err == nil {
		s.options.Log.WarnContext(ctx, "events were deleted before a webhook had them",
			"webhook", hook.ID, "user_id", hook.Owner.UserID, "reason", lost.reason)
	}
	return err
}
