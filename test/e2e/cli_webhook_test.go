package e2e_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/client"
)

func TestCLI_ManagesWebhooks(t *testing.T) {
	t.Parallel()
	var status atomic.Int32
	status.Store(http.StatusOK)
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(int(status.Load()))
	}))
	t.Cleanup(receiver.Close)
	p := person{t: t, node: up(t, dataDir(t))}
	p.types("party new alice")
	created := reads[struct {
		Webhook client.Webhook `json:"webhook"`
		Secret  string         `json:"secret"`
	}](p, "webhook create "+receiver.URL+" alice")
	require.Regexp(t, "^whsec_", created.Secret)
	id := created.Webhook.ID
	type attempts struct {
		Attempts []client.WebhookAttempt `json:"attempts"`
	}
	require.Equal(t, "sent", reads[attempts](p, "webhook test "+id).Attempts[0].State)
	status.Store(http.StatusBadGateway)
	requireRefused(t, "the receiver did not accept", p.arguments("webhook test "+id)...)
	require.Contains(t, p.types("webhook show "+id), "failed: 502 Bad Gateway", "it says why it fails")
	status.Store(http.StatusOK)
	p.types("tap alice 100")
	await(t, "three messages of the tap are sent", func() error {
		sent := map[string]bool{}
		for _, one := range reads[attempts](p, "webhook log "+id).Attempts {
			if one.State == "sent" && one.Type != "webhook.test" {
				sent[one.Type] = true
			}
		}
		if len(sent) < 3 {
			return fmt.Errorf("%v of completion, update and wallet", sent)
		}
		return nil
	})
	type hooks struct {
		Webhooks []client.Webhook `json:"webhooks"`
	}
	require.Equal(t, "paused", reads[hooks](p, "webhook pause "+id).Webhooks[0].State)
	require.Equal(t, "active", reads[hooks](p, "webhook resume "+id).Webhooks[0].State)
	require.NotContains(t, p.types("webhook rotate "+id), created.Secret)
	require.Contains(t, p.types("webhook show "+id), receiver.URL)
	require.Contains(t, p.types("webhook resend --all "+id), "no dead letters")
	p.types("webhook delete " + id)
	require.Empty(t, reads[hooks](p, "webhook list").Webhooks)
}
