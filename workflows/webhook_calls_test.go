package workflows_test

import (
	"context"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/workflows"
)

// webhookRecord is a record with webhooks for which nothing waits, or without webhooks.
type webhookRecord struct {
	running bool
	asked   atomic.Int64
}

func (r *webhookRecord) TakeDue(context.Context) (ids []string, anyRun bool, err error) {
	r.asked.Add(1)
	return nil, r.running, nil
}

// A node without webhooks asks every two seconds whether there is one, however much is committed. With webhooks it looks
// after commits, a limited number of times a second.
func TestWebhookCaller_LooksSeldomWithoutWebhooks(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		running     bool
		least, most int64
	}{
		"no webhook runs": {false, 28, 32},
		"a webhook runs":  {true, 300, 700},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				record := &webhookRecord{running: test.running}
				head := ledger.Offset(0)
				caller := workflows.NewWebhookCaller(workflows.WebhookCallerOptions{
					Record: record, Log: slog.New(slog.DiscardHandler),
					WaitAfter: func(context.Context, ledger.Offset) (ledger.Offset, error) { // commits without a pause
						head++
						return head, nil
					},
				})
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				caller.Run(ctx)
				require.GreaterOrEqual(t, record.asked.Load(), test.least)
				require.LessOrEqual(t, record.asked.Load(), test.most)
			})
		})
	}
}
