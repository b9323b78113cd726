package webhook

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/db"
)

// After the restore of an older backup, another event comes to the place of one that was sent.
func TestEvent_AnotherAtTheSamePlaceHasAnotherID(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_000_000, 0)
	for _, kind := range []string{Completion, Update, Wallet, Alarm} {
		one := event{kind: kind, at: db.WebhookPlace{Offset: 7, Alarm: 7}, when: now, source: "one"}
		same, later, other := one, one, one
		later.when, other.source = now.Add(time.Microsecond), "other"
		require.Equal(t, one.id("wh_1"), same.id("wh_1"))
		require.NotEqual(t, one.id("wh_1"), later.id("wh_1"))
		require.NotEqual(t, one.id("wh_1"), other.id("wh_1"))
	}
}
