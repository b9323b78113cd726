//go:build long

package e2e_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/internal/failpoint"
)

// mailbox is a receiver that counts the messages it gets.
type mailbox struct {
	*httptest.Server

	mu  sync.Mutex
	ids []string
}

func newMailbox(t *testing.T) *mailbox {
	t.Helper()
	m := &mailbox{}
	m.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.ids = append(m.ids, r.Header.Get("webhook-id"))
	}))
	t.Cleanup(m.Close)
	return m
}

func (m *mailbox) got() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.ids)
}

const (
	// webhookTaps is the number of taps; each makes a completion and an update.
	webhookTaps = 100
	// tapsInFlight is how many taps are submitted between two kills.
	tapsInFlight = 12
)

// TestWebhook_LosesNothingUnderKills kills parts of the installation before and after messages are sent. The receiver
// gets every message, in order, and each as often as the log says.
func TestWebhook_LosesNothingUnderKills(t *testing.T) {
	t.Parallel()
	p := newParts(t, "--list-limit", "1000000", "--request-timeout", "1m", "--webhook-private-addresses")
	coin, err := p.api.admin().FindCoin(t.Context(), findDSO(t, p.api.endpoint))
	require.NoError(t, err)
	owner := newAccount(t, p.api.endpoint, coin.DSO, "hooked", "hooked")
	box := newMailbox(t)
	hook, _, err := owner.CreateWebhook(t.Context(), box.URL, []string{"completion", "update"}, owner.party())
	require.NoError(t, err)

	taps := 0
	submit := func(count int) {
		for range count {
			taps++
			tap := owner.tap(coin, fmt.Sprintf("tap-%d", taps), tapAmount)
			await(t, "the node takes "+tap.CommandID, func() error { // a part may just be dying
				err := owner.Submit(t.Context(), tap)
				if code := client.Code(err); code == "DUPLICATE_COMMAND" || code == "SUBMISSION_ALREADY_IN_FLIGHT" {
					return nil // an earlier try got through
				}
				return err
			})
		}
	}
	for _, what := range []strike{
		{failpoint.BeforeWebhook, []part{theWorker}},
		{failpoint.AfterWebhook, []part{theWorker}},
		{failpoint.AfterWebhook, []part{theDatabase}},
		{failpoint.AfterWebhook, []part{theTemporal}},
		{"", []part{theAPI, theWorker, theTemporal, theDatabase}},
	} {
		if what.point == "" {
			submit(tapsInFlight)
			p.kill(what.victims...)
		} else {
			killed := p.arm(what.point, what.victims...)
			submit(1)
			killed()
		}
		p.revive(what.victims...)
		owner = owner.on(p.api.endpoint)
		submit(tapsInFlight)
		t.Logf("after %s: %d taps, %d messages", what, taps, len(box.got()))
	}
	submit(webhookTaps - taps)
	want := wantedMessages(t, owner, hook.ID)
	await(t, "all messages are there", func() error {
		if got := inOrder(box.got()); len(got) < len(want) {
			return fmt.Errorf("%d of %d", len(got), len(want))
		}
		return nil
	})
	require.Equal(t, want, inOrder(box.got()), "each message, in order")
	requireLogged(t, owner, hook.ID, box)
	require.Empty(t, p.armed(), "every point was reached")
	p.audit()
}

// wantedMessages are the ids of the messages for all taps, without the hashes of their events.
func wantedMessages(t *testing.T, owner account, hook string) (ids []string) {
	t.Helper()
	await(t, "all taps have a completion", func() error {
		completions, err := owner.completionsFrom(t.Context(), 0)
		if err != nil || len(completions) < webhookTaps {
			return fmt.Errorf("%d of %d, %w", len(completions), webhookTaps, err)
		}
		ids = nil
		for _, one := range completions {
			ids = append(ids, fmt.Sprintf("msg_%s_%d_0", hook, one.Offset), fmt.Sprintf("msg_%s_%d_1", hook, one.Offset))
		}
		return nil
	})
	return ids
}

// inOrder are the messages in the order in which they came first.
func inOrder(got []string) (ids []string) {
	seen := map[string]bool{}
	for _, id := range got {
		if !seen[id] {
			seen[id] = true
			ids = append(ids, id[:strings.LastIndex(id, "_")]) // without the hash of the event
		}
	}
	return ids
}

// requireLogged requires that the receiver got each message as often as the log says: once for each attempt that it
// answered, and at most once for each attempt whose state is unknown.
func requireLogged(t *testing.T, owner account, hook string, box *mailbox) {
	t.Helper()
	var attempts []client.WebhookAttempt
	await(t, "the log has the last result", func() (err error) {
		if attempts, err = owner.WebhookAttempts(t.Context(), hook, 0, 1000); err == nil && attempts[0].State != "sent" {
			err = fmt.Errorf("the last attempt is %s", attempts[0].State)
		}
		return err
	})
	answered, unknown, got := map[string]int{}, map[string]int{}, map[string]int{}
	for _, one := range attempts {
		switch one.State {
		case "sent", "failed":
			answered[one.MessageID]++
		case "unknown":
			unknown[one.MessageID]++
		}
	}
	for _, id := range box.got() {
		got[id]++
	}
	for id, count := range got {
		require.GreaterOrEqual(t, count, answered[id], id)
		require.LessOrEqual(t, count, answered[id]+unknown[id], id)
	}
	t.Logf("%d attempts in the log, %d of them unknown; the receiver got %d", len(attempts), len(unknown), len(box.got()))
	require.NotEmpty(t, unknown, "some processes died with a message on its way")
}
