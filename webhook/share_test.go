package webhook_test

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/webhookapi"
	"github.com/florinledger/florin/webhook"
)

// hanging is a receiver that answers when the test says so. arrived gets a value with each message.
func hanging(t *testing.T) (r *receiver, arrived chan struct{}, release func()) {
	t.Helper()
	r = newReceiver(t)
	arrived, released := make(chan struct{}, 2*webhook.Deliveries), make(chan struct{})
	r.answers(func(http.ResponseWriter, *http.Request) {
		arrived <- struct{}{}
		<-released
	})
	release = sync.OnceFunc(func() { close(released) })
	t.Cleanup(release)
	return r, arrived, release
}

func TestDeliver_SlowReceiversOfOneOwnerHoldAQuarter(t *testing.T) {
	t.Parallel()
	w := newWorld(t, webhook.Completion)
	slow, arrived, release := hanging(t)
	const share = webhook.Deliveries / 4
	bob := w.Wallet("bob")
	var hooks []string
	for range share + 1 {
		var made webhookapi.WebhookSecretResponse
		w.Call("bob", http.MethodPost, webhookapi.Path, map[string]any{
			"url": slow.url, "kinds": []string{webhook.Completion}, "party": bob.Party,
		}).OK(&made)
		hooks = append(hooks, made.Webhook.ID)
	}
	bob.Tap("1.0")
	w.alice.Tap("1.0")
	var group sync.WaitGroup
	for _, id := range hooks[:share] {
		group.Go(func() {
			if _, err := w.sender.Deliver(t.Context(), id); err != nil {
				t.Error(err)
			}
		})
		<-arrived
	}
	outcome, err := w.sender.Deliver(t.Context(), hooks[share])
	require.NoError(t, err)
	require.False(t, outcome.Over)
	require.GreaterOrEqual(t, outcome.Wait, time.Second)
	require.Less(t, outcome.Wait, 3*time.Second)
	require.Len(t, slow.messages(), share, "it waits without a place")
	require.True(t, w.deliver().Over)
	require.Len(t, w.messages(), 1, "another owner's message arrives")
	release()
	group.Wait()
	outcome, err = w.sender.Deliver(t.Context(), hooks[share])
	require.NoError(t, err)
	require.True(t, outcome.Over, "a place is free again")
	require.Len(t, slow.messages(), share+1)
}
