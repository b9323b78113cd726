package node

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api"
	"github.com/florinledger/florin/api/webhookapi"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/webhook"
)

// alarmLog is a record that can be away.
type alarmLog struct {
	away, unwanted bool
	// lost is how many notes it loses before it is away.
	lost  int
	noted []string
}

var errAway = errors.New("the database is away")

func (l *alarmLog) HasWebhooks(context.Context) (running, alarms bool, err error) {
	if l.away {
		return false, false, errAway
	}
	return true, !l.unwanted, nil
}

func (l *alarmLog) NoteAlarm(_ context.Context, change db.AlarmChange) error {
	if l.away || l.lost > 0 {
		l.lost--
		return errAway
	}
	l.noted = append(l.noted, fmt.Sprintf("%s %s %t %s %s",
		change.At.Format(time.TimeOnly), change.Name, change.Raised, change.Host, change.Cause))
	return nil
}

// take returns the notes since the last call.
func (l *alarmLog) take() []string {
	noted := l.noted
	l.noted = nil
	return noted
}

// watched are alarms of parts that tests change; each look comes a second after the one before.
type watched struct {
	*alarms

	log   *alarmLog
	state map[string]api.Part
	echo  bool
}

func newWatched() *watched {
	w := &watched{log: &alarmLog{}, state: map[string]api.Part{"worker": {}, "commits": {}}}
	now := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	w.alarms = &alarms{
		record: w.log, host: "one", known: map[string]bool{}, isEcho: func() bool { return w.echo },
		now: func() time.Time { return now },
		parts: func(ctx context.Context) (parts []api.Part) {
			now = now.Add(time.Second)
			for _, name := range []string{"worker", "commits", webhooksPart} {
				part := w.state[name]
				part.Name = name
				parts = append(parts, part)
			}
			return parts
		},
	}
	return w
}

func TestAlarms_NoteEachChangeOnce(t *testing.T) {
	t.Parallel()
	w := newWatched()
	look := func() []string {
		require.NoError(t, w.look(t.Context()))
		return w.log.take()
	}
	require.Len(t, look(), 3, "the first look tells that all is well; the record drops what it knows")
	require.Empty(t, look())
	w.state["worker"] = api.Part{Err: errors.New("no worker polls")}
	require.Equal(t, []string{"10:00:03 worker true one no worker polls"}, look())
	w.state["worker"] = api.Part{Err: errors.New("no worker polls for a minute")}
	require.Empty(t, look(), "another reason is no change")
	w.state["worker"] = api.Part{Unknown: "its check needs the database"}
	require.Empty(t, look(), "nobody knows whether it is over")
	w.state["worker"], w.state["commits"] = api.Part{}, api.Part{Warning: "slow"}
	require.Equal(t, []string{"10:00:06 worker false one ", "10:00:06 commits true one slow"}, look())
	w.log.unwanted = true
	require.Empty(t, look())
	w.log.unwanted = false
	require.Contains(t, look(), "10:00:07 commits true one slow", "a new webhook learns what is wrong now")
}

func TestAlarms_LoseNothingWhileTheRecordIsAway(t *testing.T) {
	t.Parallel()
	w := newWatched()
	require.NoError(t, w.look(t.Context()))
	require.Len(t, w.log.take(), 3)
	w.log.away = true
	w.state["worker"] = api.Part{Err: errors.New("away")}
	require.ErrorIs(t, w.look(t.Context()), errAway)
	w.state["commits"] = api.Part{Warning: "slow"}
	require.ErrorIs(t, w.look(t.Context()), errAway)
	w.state["worker"] = api.Part{}
	require.ErrorIs(t, w.look(t.Context()), errAway)
	w.log.away, w.log.lost = false, 1
	require.ErrorIs(t, w.look(t.Context()), errAway, "the record leaves again")
	require.Empty(t, w.log.take())
	require.NoError(t, w.look(t.Context()))
	require.Equal(t, []string{
		"10:00:02 worker true one away", "10:00:03 commits true one slow", "10:00:04 worker false one ",
	}, w.log.take(), "all changes, in order, with their times")
	require.NoError(t, w.look(t.Context()))
	require.Empty(t, w.log.take())
}

func TestAlarms_AreQuietWhileNobodyIsKnownToWantThem(t *testing.T) {
	t.Parallel()
	w := newWatched()
	w.log.away = true
	w.state["worker"] = api.Part{Err: errors.New("away")}
	require.NoError(t, w.look(t.Context()))
	w.log.away = false
	require.NoError(t, w.look(t.Context()))
	require.Contains(t, w.log.take(), "10:00:02 worker true one away", "the first look that finds a webhook")
}

// A receiver of alarms that takes only every fourth attempt fails again with each alarm that it fails.
func TestAlarms_AboutAWebhookDoNotFeedIt(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	owner := ledger.DefaultUser("operator")
	_, err := record.CreateUser(t.Context(), ledger.User{ID: owner.UserID}, []ledger.Right{{Kind: ledger.ParticipantAdmin}})
	require.NoError(t, err)
	var attempts atomic.Int64
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if attempts.Add(1)%4 != 0 {
			w.WriteHeader(http.StatusInternalServerError)
		}
	}))
	t.Cleanup(receiver.Close)
	hook, _, err := record.CreateWebhook(t.Context(), db.Webhook{
		ID: "wh_alarms", Owner: owner, URL: receiver.URL, Kinds: []string{webhook.Alarm}, Secret: webhook.NewSecret(),
	}, 1)
	require.NoError(t, err)
	now := time.Now()
	sender, err := webhook.New(webhook.Options{
		Record: record, AllowPrivate: true, Now: func() time.Time { return now }, Log: slog.New(slog.DiscardHandler),
		Ledger: struct{ webhook.LedgerRenderer }{}, Wallets: struct{ webhook.WalletRenderer }{}, // alarms need none
		Alarm: webhookapi.RenderAlarm,
	})
	require.NoError(t, err)
	var failing db.FailingWebhook
	isSlow := false
	watch := &alarms{
		record: record, host: "one", known: map[string]bool{}, now: func() time.Time { return now },
		isEcho: func() bool { return failing.OnlyAlarms },
		parts: func(ctx context.Context) []api.Part {
			failing, err = record.FailingWebhook(ctx, failingTries, webhooksPart)
			require.NoError(t, err)
			slow := api.Part{Name: "disk"}
			if isSlow {
				slow.Warning = "slow"
			}
			return []api.Part{slow, {Name: webhooksPart, Warning: failingWebhook(failing)}}
		},
	}
	warned := 0
	for step := range 100 {
		isSlow = step > 0
		require.NoError(t, watch.look(t.Context()))
		if failing.Count > 0 {
			warned++
		}
		outcome, err := sender.Deliver(t.Context(), hook.ID)
		require.NoError(t, err)
		now = now.Add(outcome.Wait)
	}
	changes, err := record.AlarmChanges(t.Context(), 0, 100)
	require.NoError(t, err)
	var noted []string
	for _, change := range changes {
		noted = append(noted, fmt.Sprintf("%s %t", change.Name, change.Raised))
	}
	require.Equal(t, []string{"disk true", "webhooks true", "webhooks false"}, noted, "raised once, gone once")
	require.EqualValues(t, 4*len(noted), attempts.Load(), "each message was taken with the fourth attempt")
	require.Greater(t, warned, 1, "/readyz names it each time")
}
