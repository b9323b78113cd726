package webhook_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/webhookapi"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/telemetry/trouble"
	"github.com/florinledger/florin/webhook"
)

func TestDeliver_SendsEachEventOnceInOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t, webhook.Completion, webhook.Update, webhook.Wallet)
	const taps = 30 // more than a page
	for range taps {
		w.alice.Tap("10.0")
	}
	require.True(t, w.deliver().Over)
	got := w.messages()
	require.Len(t, got, 3*taps)
	first := int64(w.hook.NextOffset)
	for i, message := range got {
		kind := []string{webhook.Completion, webhook.Update, webhook.Wallet}[i%3]
		require.Equal(t, kind, message.kind)
		require.Equal(t, fmt.Sprintf("msg_%s_%d_%d", w.hook.ID, first+int64(i/3), i%3), placeOf(message.id))
		require.NoError(t, w.verify(w.secret, message))
		var body struct {
			Timestamp time.Time      `json:"timestamp"`
			Data      map[string]any `json:"data"`
		}
		require.NoError(t, json.Unmarshal(message.body, &body))
		require.False(t, body.Timestamp.IsZero())
		switch kind {
		case webhook.Completion:
			require.Equal(t, "alice", body.Data["userId"])
		case webhook.Update:
			require.NotEmpty(t, body.Data["events"])
		default:
			require.Equal(t, "balance_change", body.Data["transaction_type"])
		}
	}
	require.Equal(t, map[string]int{db.AttemptSent: 3 * taps}, w.states())
	require.True(t, w.deliver().Over)
	require.Len(t, w.messages(), 3*taps, "nothing is sent twice")
}

// placeOf is the id of a message without the hash of its event.
func placeOf(id string) string { return id[:strings.LastIndex(id, "_")] }

func TestDeliver_AnEventKeepsItsID(t *testing.T) {
	t.Parallel()
	w := newWorld(t, webhook.Completion, webhook.Update, webhook.Wallet)
	start := w.stored().Next
	w.alice.Tap("1.0")
	require.True(t, w.deliver().Over)
	first := w.ids()
	require.Len(t, first, 3)
	_, _, err := w.DB.ChangeWebhook(t.Context(), w.hook.ID, func(_ *db.Tx, hook *db.Webhook) error {
		hook.Next = start
		return nil
	})
	require.NoError(t, err)
	require.True(t, w.deliver().Over)
	require.Equal(t, first, w.ids()[3:])
}

func TestDeliver_RetriesThenKeepsADeadLetterAndGoesOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, webhook.Completion)
	w.answers(status(http.StatusInternalServerError))
	w.alice.Tap("1.0")
	w.alice.Tap("2.0")
	var pauses []time.Duration
	for spent := time.Duration(0); len(w.letters()) == 0; spent += pauses[len(pauses)-1] {
		outcome := w.deliver()
		require.False(t, outcome.Over)
		pauses = append(pauses, outcome.Wait)
		require.LessOrEqual(t, spent, webhook.GiveUpAfter+time.Hour)
		w.clock.add(outcome.Wait)
	}
	attempts := len(w.ids()) - 1 // the last is the first of the second message
	require.InDelta(t, 5*time.Second, pauses[0], float64(time.Second))
	require.Greater(t, attempts, 24)
	require.Equal(t, w.ids()[0], w.letters()[0].MessageID)
	require.Contains(t, w.letters()[0].Error, "500")
	require.Equal(t, webhookapi.StateFailing, w.shown().State, "the second message fails now")

	w.answers(nil)
	require.True(t, w.deliver().Over)
	require.Equal(t, webhookapi.StateActive, w.shown().State)
	require.Equal(t, map[string]int{db.AttemptFailed: attempts + 1, db.AttemptSent: 1}, w.states())

	var resent webhookapi.WebhookAttemptResponse
	w.Call("alice", http.MethodPost, webhookapi.Path+"/"+w.hook.ID+"/dead-letters/"+w.ids()[0]+"/resend", nil).OK(&resent)
	require.Equal(t, db.AttemptSent, resent.Attempt.State)
	require.Empty(t, w.letters())
	got := w.messages()
	require.Equal(t, got[0].id, got[len(got)-1].id)
	require.Equal(t, got[0].body, got[len(got)-1].body)
}

func TestDeliver_DeadLettersHideTheirBodiesWithoutTheRight(t *testing.T) {
	t.Parallel()
	w := newWorld(t, webhook.Completion)
	err := w.DB.InTx(t.Context(), func(tx *db.Tx) error {
		return tx.KeepDeadLetter(t.Context(), w.hook.ID, db.DeadLetter{
			MessageID: "msg_1", Kind: webhook.Completion, Body: []byte("{}"), Error: "500", DiedAt: w.clock.Now(),
		})
	})
	require.NoError(t, err)
	require.Equal(t, "{}", w.letters()[0].Body)
	right := []ledger.Right{{Kind: ledger.CanActAs, Party: w.alice.Party}}
	_, err = w.DB.RevokeRights(t.Context(), "alice", right)
	require.NoError(t, err)
	require.Equal(t, "msg_1", w.letters()[0].MessageID)
	require.Empty(t, w.letters()[0].Body)
	_, err = w.DB.GrantRights(t.Context(), "alice", right)
	require.NoError(t, err)
	require.Equal(t, "{}", w.letters()[0].Body)
}

func TestDeliver_TestThatSucceedsEndsTheWait(t *testing.T) {
	t.Parallel()
	w := newWorld(t, webhook.Completion)
	w.answers(status(http.StatusServiceUnavailable))
	w.alice.Tap("1.0")
	require.Positive(t, w.deliver().Wait)
	w.answers(nil)
	var tested webhookapi.WebhookAttemptResponse
	w.Call("alice", http.MethodPost, webhookapi.Path+"/"+w.hook.ID+"/test", nil).OK(&tested)
	require.Equal(t, db.AttemptSent, tested.Attempt.State)
	require.Equal(t, int32(http.StatusOK), *tested.Attempt.Status)
	require.True(t, w.deliver().Over)
	kinds := []string{}
	for _, message := range w.messages() {
		kinds = append(kinds, message.kind)
		require.NoError(t, w.verify(w.secret, message))
	}
	require.Equal(t, []string{webhook.Completion, webhook.Test, webhook.Completion}, kinds)
}

func TestDeliver_PausesWhenTheReceiverIsGone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, webhook.Completion)
	w.answers(status(http.StatusGone))
	w.alice.Tap("1.0")
	require.True(t, w.deliver().Over)
	require.Equal(t, webhookapi.StatePaused, w.shown().State)
	require.Contains(t, *w.shown().PausedReason, "410")
	w.answers(nil)
	require.True(t, w.deliver().Over)
	require.Len(t, w.messages(), 1, "a paused webhook sends nothing")
	w.change(map[string]any{"paused": false})
	require.True(t, w.deliver().Over)
	require.Equal(t, []string{w.ids()[0], w.ids()[0]}, w.ids(), "it goes on where it stopped")
}

func TestDeliver_PausesWhenTheOwnerLosesTheRight(t *testing.T) {
	t.Parallel()
	w := newWorld(t, webhook.Completion)
	w.alice.Tap("1.0")
	right := ledger.Right{Kind: ledger.CanActAs, Party: w.alice.Party}
	_, err := w.DB.RevokeRights(t.Context(), "alice", []ledger.Right{right})
	require.NoError(t, err)
	require.True(t, w.deliver().Over)
	require.Empty(t, w.messages())
	require.Contains(t, *w.shown().PausedReason, "lacks the right to read as "+string(w.alice.Party))
	answer := w.Call("alice", http.MethodPatch, webhookapi.Path+"/"+w.hook.ID, map[string]any{"paused": false})
	require.Equal(t, http.StatusForbidden, answer.Status, answer.Text)
	_, err = w.DB.CreateUser(t.Context(), ledger.User{ID: "boss"}, []ledger.Right{{Kind: ledger.ParticipantAdmin}})
	require.NoError(t, err)
	answer = w.Call("boss", http.MethodPatch, webhookapi.Path+"/"+w.hook.ID, map[string]any{"paused": false})
	require.Equal(t, http.StatusConflict, answer.Status, answer.Text)
	require.Contains(t, answer.Text, "Give the right to the owner")
	_, err = w.DB.GrantRights(t.Context(), "alice", []ledger.Right{right})
	require.NoError(t, err)
	w.change(map[string]any{"paused": false})
	require.True(t, w.deliver().Over)
	require.Len(t, w.messages(), 1)
}

func TestDeliver_SkipsWhatWasPruned(t *testing.T) {
	t.Parallel()
	w := newWorld(t, webhook.Update)
	w.alice.Tap("1.0")
	w.alice.Tap("2.0")
	head, err := w.DB.Head(t.Context())
	require.NoError(t, err)
	_, err = dbtest.Prune(t.Context(), w.DB, head.Offset-1)
	require.NoError(t, err)
	require.True(t, w.deliver().Over)
	require.Len(t, w.ids(), 1)
	require.Equal(t, fmt.Sprintf("msg_%s_%d_1", w.hook.ID, head.Offset), placeOf(w.ids()[0]))
	require.Equal(t, map[string]int{db.AttemptSkipped: 1, db.AttemptSent: 1}, w.states())
	require.Contains(t, w.log()[0].Error, fmt.Sprintf("pruned up to offset %d", head.Offset-1))
}

func TestDeliver_SkipsAlarmsThatWereDeleted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, webhook.Completion)
	_, err := w.DB.GrantRights(t.Context(), "alice", []ledger.Right{{Kind: ledger.ParticipantAdmin}})
	require.NoError(t, err)
	var created webhookapi.WebhookSecretResponse
	w.Call("alice", http.MethodPost, webhookapi.Path, map[string]any{
		"url": w.url, "kinds": []string{webhook.Alarm},
	}).OK(&created)
	w.hook = created.Webhook
	w.answers(status(http.StatusInternalServerError)) // stop at the first message
	const deleted = 3
	for i := range db.KeptAlarmChanges + deleted {
		require.NoError(t, w.DB.NoteAlarm(t.Context(), db.AlarmChange{
			At: w.clock.Now(), Host: "one", Name: "commits", Raised: i%2 == 0,
		}))
	}
	w.deliver()
	log := w.log()
	require.Equal(t, db.AttemptSkipped, log[0].State)
	require.Contains(t, log[0].Error, "those from number 1 to 3 are gone")
	require.Equal(t, db.AttemptFailed, log[1].State)
	require.Contains(t, log[1].MessageID, "_alarm_4")
}

func TestDeliver_EndsWithTheWebhook(t *testing.T) {
	t.Parallel()
	w := newWorld(t, webhook.Completion)
	for range 3 {
		w.alice.Tap("1.0")
	}
	arrived, deleted := make(chan struct{}), make(chan struct{})
	w.answers(func(http.ResponseWriter, *http.Request) {
		close(arrived)
		<-deleted
	})
	go func() {
		<-arrived
		w.Call("alice", http.MethodDelete, webhookapi.Path+"/"+w.hook.ID, nil).OK(nil)
		close(deleted)
	}()
	require.True(t, w.deliver().Over)
	require.Len(t, w.messages(), 1, "only the message on its way arrives")
}

// Two processes may deliver for one webhook, when one of them was slow. Every message is in the log, and none is lost.
func TestDeliver_TwoAtOnceLoseNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, webhook.Completion, webhook.Update)
	const taps = 20
	for range taps {
		w.alice.Tap("1.0")
	}
	var group sync.WaitGroup
	for range 3 {
		sender := w.newSender(func(*webhook.Options) {})
		group.Go(func() {
			outcome, err := sender.Deliver(t.Context(), w.hook.ID)
			if err != nil || !outcome.Over {
				t.Errorf("%+v, %v", outcome, err)
			}
		})
	}
	group.Wait()
	require.Equal(t, map[string]int{db.AttemptSent: len(w.ids())}, w.states())
	seen := map[string]bool{}
	var order []string
	for _, id := range w.ids() {
		if !seen[id] {
			seen[id] = true
			order = append(order, id)
		}
	}
	require.Len(t, order, 2*taps)
	first := int64(w.hook.NextOffset)
	for i, id := range order {
		require.Equal(t, fmt.Sprintf("msg_%s_%d_%d", w.hook.ID, first+int64(i/2), i%2), placeOf(id))
	}
}

func TestDeliver_SendsAlarmsToAdministrators(t *testing.T) {
	t.Parallel()
	w := newWorld(t, webhook.Completion)
	request := map[string]any{"url": w.url, "kinds": []string{webhook.Alarm}}
	answer := w.Call("alice", http.MethodPost, webhookapi.Path, request)
	require.Equal(t, http.StatusForbidden, answer.Status, answer.Text)
	_, err := w.DB.GrantRights(t.Context(), "alice", []ledger.Right{{Kind: ledger.ParticipantAdmin}})
	require.NoError(t, err)
	var created webhookapi.WebhookSecretResponse
	w.Call("alice", http.MethodPost, webhookapi.Path, request).OK(&created)
	w.hook = created.Webhook
	for _, raised := range []bool{false, true, true, false} {
		require.NoError(t, w.DB.NoteAlarm(t.Context(), db.AlarmChange{
			At: w.clock.Now(), Host: "one", Name: "commits", Raised: raised, Cause: "the disk is full",
		}))
	}
	due, err := w.DB.TakeDueWebhooks(t.Context(), w.clock.Now(), 10)
	require.NoError(t, err)
	require.Equal(t, []string{w.hook.ID}, due)
	require.True(t, w.deliver().Over)
	require.Len(t, w.messages(), 2, "a change, and its end")
	var body struct{ Data map[string]any }
	require.NoError(t, json.Unmarshal(w.messages()[0].body, &body))
	about, known := trouble.Of("commits")
	require.True(t, known)
	require.Equal(t, map[string]any{
		"name": "FlorinCommits", "part": "commits", "host": "one", "raised": true, "cause": "the disk is full",
		"means": about.Means, "do": about.Do, "runbook": about.Runbook(),
	}, body.Data)
	require.Contains(t, string(w.messages()[1].body), `"raised":false`)
}
