package webhook_test

import (
	"context"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/webhook"
)

// failing is the webhook of the record that fails with two attempts or more.
func (w *world) failing() db.FailingWebhook {
	w.t.Helper()
	found, err := w.DB.FailingWebhook(w.t.Context(), 2, "webhooks")
	require.NoError(w.t, err)
	return found
}

func TestFailingWebhook_HasTheLastFailure(t *testing.T) {
	t.Parallel()
	for name, fails := range map[string]struct {
		answer func(http.ResponseWriter, *http.Request)
		change func(*webhook.Options)
		state  string
		status int32
	}{
		"errors": {answer: status(http.StatusBadGateway), state: db.AttemptFailed, status: http.StatusBadGateway},
		"redirects": {answer: func(answer http.ResponseWriter, r *http.Request) {
			http.Redirect(answer, r, "/other", http.StatusPermanentRedirect)
		}, state: db.AttemptFailed, status: http.StatusPermanentRedirect},
		"is slow": {
			answer: func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
			change: func(options *webhook.Options) { options.Timeout = 100 * time.Millisecond },
			state:  db.AttemptUnknown,
		},
		"became private": {change: func(options *webhook.Options) {
			options.AllowPrivate = false
			options.Lookup = func(context.Context, string) ([]netip.Addr, error) {
				return []netip.Addr{netip.MustParseAddr("10.1.2.3")}, nil
			}
		}, state: db.AttemptUnreachable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, webhook.Completion)
			if fails.change != nil {
				w.sender = w.newSender(func(options *webhook.Options) {
					options.Now = time.Now // so that an attempt takes time
					fails.change(options)
				})
			}
			w.answers(fails.answer)
			w.alice.Tap("1.0")
			w.deliver()
			require.Zero(t, w.failing().Count, "one failure is no trouble yet")
			hook := w.stored()
			hook.RetryAt = time.Unix(0, 0)
			require.NoError(t, w.DB.InTx(t.Context(), func(tx *db.Tx) error { return tx.StoreWebhook(t.Context(), hook) }))
			w.deliver()
			found := w.failing()
			require.Equal(t, w.hook.ID, found.ID)
			require.Equal(t, []any{int32(2), int64(0), int64(1)}, []any{found.Tries, found.DeadLetters, found.Count})
			require.Equal(t, []any{fails.state, fails.status}, []any{found.LastState, found.LastStatus})
			require.Equal(t, hook.FailingSince.Unix(), found.Since.Unix())
			require.False(t, found.OnlyAlarms)
			w.change(map[string]any{"paused": true})
			require.Zero(t, w.failing(), "its owner knows")
		})
	}
}

func TestFailingWebhook_CountsDeadLettersAndSkipsOpenAttempts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, webhook.Completion)
	w.answers(status(http.StatusInternalServerError))
	w.alice.Tap("1.0")
	began := w.clock.Now()
	w.deliver()
	w.clock.add(webhook.GiveUpAfter)
	w.deliver()
	w.answers(nil)
	w.alice.Tap("1.0")
	require.True(t, w.deliver().Over)
	found := w.failing()
	require.Equal(t, []any{int32(0), int64(1), int32(500)}, []any{found.Tries, found.DeadLetters, found.LastStatus})
	require.Equal(t, began.Add(webhook.GiveUpAfter).Unix(), found.Since.Unix())
	require.NoError(t, w.DB.InTx(t.Context(), func(tx *db.Tx) error {
		_, err := tx.BeginAttempt(t.Context(), w.hook.ID, db.WebhookAttempt{
			MessageID: "msg_open", Kind: webhook.Test, StartedAt: began, State: db.AttemptUnknown,
		})
		return err
	}))
	require.Equal(t, db.AttemptFailed, w.failing().LastState, "an attempt on its way has no result yet")
	path := strings.Join([]string{"/v0/webhooks", w.hook.ID, "dead-letters", w.letters()[0].MessageID, "resend"}, "/")
	w.Call("alice", http.MethodPost, path, nil).OK(nil)
	require.Zero(t, w.failing())
}
