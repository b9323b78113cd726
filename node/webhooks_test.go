package node

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/webhook"
	"github.com/florinledger/florin/workflows"
)

func TestFailingWebhook_CountsInWords(t *testing.T) {
	t.Parallel()
	hook := db.FailingWebhook{ID: "wh_1", Since: time.Unix(0, 0), Tries: 1, DeadLetters: 1, Count: 2}
	require.Equal(t, "wh_1 fails since 1970-01-01T00:00:00Z, its message was tried once, 1 dead letter waits; "+
		"so does 1 other; see florin webhook show wh_1", failingWebhook(hook))
	hook.Tries, hook.DeadLetters, hook.Count = 2, 2, 3
	require.Equal(t, "wh_1 fails since 1970-01-01T00:00:00Z, its message was tried 2 times, 2 dead letters wait; "+
		"so do 2 others; see florin webhook show wh_1", failingWebhook(hook))
}

// The part of one owner is a part of these slots.
func TestWebhooks_HaveASlotForEachDelivery(t *testing.T) {
	t.Parallel()
	for _, queue := range workflows.Queues() {
		if queue.Name == workflows.WebhookQueue {
			require.Equal(t, webhook.Deliveries, queue.Slots)
			return
		}
	}
	require.Fail(t, "webhooks have no queue")
}
