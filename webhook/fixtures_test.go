package webhook_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/ledgerapi"
	"github.com/florinledger/florin/api/walletapi"
	"github.com/florinledger/florin/api/webhookapi"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/test/apitest"
	"github.com/florinledger/florin/webhook"
)

// received is a message that a receiver has got.
type received struct {
	id, kind string
	header   http.Header
	body     []byte
}

// receiver is a server that gets messages and verifies their signatures.
type receiver struct {
	url string
	// answer answers a message; nil answers 200.
	answer func(w http.ResponseWriter, r *http.Request)

	mu  sync.Mutex
	got []received
}

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		if err != nil {
			return
		}
		var message struct {
			Type string `json:"type"`
		}
		_ = json.Unmarshal(body, &message)
		r.mu.Lock()
		r.got = append(r.got, received{request.Header.Get("webhook-id"), message.Type, request.Header, body})
		answer := r.answer
		r.mu.Unlock()
		if answer != nil {
			answer(w, request)
		}
	}))
	t.Cleanup(server.Close)
	r.url = server.URL + "/hook"
	return r
}

func (r *receiver) messages() []received {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.got)
}

func (r *receiver) ids() []string {
	var ids []string
	for _, one := range r.messages() {
		ids = append(ids, one.id)
	}
	return ids
}

func (r *receiver) answers(answer func(w http.ResponseWriter, r *http.Request)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer = answer
}

func status(code int) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

// clock is a time that tests move.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// world is a node with a wallet, a receiver and a webhook of the wallet's user.
type world struct {
	*apitest.Server
	*receiver

	t      *testing.T
	alice  *apitest.Wallet
	clock  *clock
	sender *webhook.Sender
	hook   webhookapi.Webhook
	secret string
}

func newWorld(t *testing.T, kinds ...string) *world {
	t.Helper()
	w := &world{
		Server: apitest.NewWithCoin(t, apitest.Options{}), receiver: newReceiver(t), t: t,
		clock: &clock{now: time.Now()},
	}
	w.alice = w.Wallet("alice")
	w.sender = w.newSender(func(*webhook.Options) {})
	w.hook, w.secret = w.subscribe(w.url, kinds...)
	return w
}

func (w *world) newSender(change func(*webhook.Options)) *webhook.Sender {
	w.t.Helper()
	options := webhook.Options{
		Record: w.DB, AllowPrivate: true, Now: w.clock.Now, Log: slog.New(slog.DiscardHandler),
		Ledger: ledgerapi.NewRenderer(w.Node, w.Catalog), Wallets: walletapi.NewRenderer(w.DB, w.clock.Now),
		Alarm: webhookapi.RenderAlarm,
	}
	change(&options)
	sender, err := webhook.New(options)
	require.NoError(w.t, err)
	return sender
}

func (w *world) subscribe(url string, kinds ...string) (webhookapi.Webhook, string) {
	w.t.Helper()
	var created webhookapi.WebhookSecretResponse
	w.Call("alice", http.MethodPost, webhookapi.Path, map[string]any{
		"url": url, "kinds": kinds, "party": w.alice.Party,
	}).OK(&created)
	return created.Webhook, created.Secret
}

// deliver delivers with the world's sender.
func (w *world) deliver() webhook.Outcome {
	w.t.Helper()
	outcome, err := w.sender.Deliver(w.t.Context(), w.hook.ID)
	require.NoError(w.t, err)
	return outcome
}

// shown is the webhook as its owner sees it.
func (w *world) shown() webhookapi.Webhook {
	w.t.Helper()
	var out webhookapi.WebhookResponse
	w.Call("alice", http.MethodGet, webhookapi.Path+"/"+w.hook.ID, nil).OK(&out)
	return out.Webhook
}

// log lists the attempts, the oldest first.
func (w *world) log() []webhookapi.WebhookAttempt {
	w.t.Helper()
	var out webhookapi.ListWebhookAttemptsResponse
	w.Call("alice", http.MethodGet, webhookapi.Path+"/"+w.hook.ID+"/attempts?limit=1000", nil).OK(&out)
	slices.Reverse(out.Attempts)
	return out.Attempts
}

// states counts the attempts by state.
func (w *world) states() map[string]int {
	w.t.Helper()
	states := map[string]int{}
	for _, attempt := range w.log() {
		states[attempt.State]++
	}
	return states
}

func (w *world) letters() []webhookapi.DeadLetter {
	w.t.Helper()
	var out webhookapi.ListDeadLettersResponse
	w.Call("alice", http.MethodGet, webhookapi.Path+"/"+w.hook.ID+"/dead-letters", nil).OK(&out)
	return out.DeadLetters
}

// change changes the webhook as its owner.
func (w *world) change(body any) {
	w.t.Helper()
	w.Call("alice", http.MethodPatch, webhookapi.Path+"/"+w.hook.ID, body).OK(nil)
}

// stored is the webhook in the record.
func (w *world) stored() db.Webhook {
	w.t.Helper()
	hook, found, err := w.DB.Webhook(context.WithoutCancel(w.t.Context()), w.hook.ID)
	require.NoError(w.t, err)
	require.True(w.t, found)
	return hook
}

func (w *world) verify(secret string, message received) error {
	library, err := standardwebhooks.NewWebhook(secret)
	require.NoError(w.t, err)
	return library.VerifyIgnoringTimestamp(message.body, message.header)
}
