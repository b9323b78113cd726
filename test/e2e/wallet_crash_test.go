//go:build long

package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/internal/failpoint"
)

// changeOutcome is the outcome of a change at a node that may die.
type changeOutcome struct {
	changeResponse

	err error
}

// ask sends a change without waiting.
func (e endpoint) ask(ctx context.Context, user, key, path string, body any) <-chan changeOutcome {
	answer := make(chan changeOutcome, 1)
	go func() {
		got, err := e.tryChange(ctx, user, key, path, body)
		answer <- changeOutcome{got, err}
	}()
	return answer
}

// inFlight sends a change twice while no worker runs: one is refused because the other is in flight. It returns the
// channel for the answer of the other.
func (e endpoint) inFlight(ctx context.Context, t *testing.T, user, path string, body any) <-chan changeOutcome {
	t.Helper()
	first, second := e.ask(ctx, user, "", path, body), e.ask(ctx, user, "", path, body)
	var refused changeOutcome
	other := first
	select {
	case refused = <-first:
		other = second
	case refused = <-second:
	}
	require.NoError(t, refused.err)
	require.Equal(t, http.StatusTooManyRequests, refused.status, refused.body)
	require.Contains(t, refused.body, `{"error":"SUBMISSION_ALREADY_IN_FLIGHT`)
	require.NotEmpty(t, refused.header.Get("Retry-After"))
	return other
}

// startWorker starts the worker again.
func (p *parts) startWorker() {
	p.t.Helper()
	p.worker = p.launch("worker")
	p.worker.awaitReady(p.t)
}

// traders is an installation with two wallets.
type traders struct {
	*parts
	alice, bob string
}

func newTraders(t *testing.T) *traders {
	t.Helper()
	p := newParts(t, "--request-timeout", "1m")
	front := p.api.endpoint
	return &traders{p, front.onboard(t, "alice"), front.onboard(t, "bob")}
}

// tracked is both kinds of requests with a tracking id, of Alice.
func (p *traders) tracked(trackingID string) map[string]map[string]any {
	return map[string]map[string]any{
		transferOffers: offerTo(p.bob, "5", trackingID),
		buyTraffic:     p.api.wishFor(p.t, p.alice, trackingID),
	}
}

func TestTrackingID_IsUsedOnceUnderKills(t *testing.T) {
	t.Parallel()
	p := newTraders(t)
	p.api.change(t, "alice", "", "/v0/wallet/tap", map[string]any{"amount": "100"}).ok(t, nil)
	other := p.launch("api")
	other.awaitReady(t)

	// In flight: the node that has the request refuses a second one; another node joins the two.
	p.kill(theWorker)
	answers := map[string][]<-chan changeOutcome{}
	for path, body := range p.tracked("in flight") {
		for _, node := range []*servedNode{p.api, other} {
			answers[path] = append(answers[path], node.inFlight(t.Context(), t, "alice", path, body))
		}
		unknown := p.api.change(t, "alice", "", path+"/in%20flight/status", nil)
		require.Equal(t, http.StatusNotFound, unknown.status, unknown.body)
	}
	leaving, leave := context.WithCancel(t.Context())
	gone := p.api.inFlight(leaving, t, "alice", transferOffers, offerTo(p.bob, "5", "left"))
	leave()
	require.ErrorIs(t, (<-gone).err, context.Canceled)
	p.startWorker()
	for path, both := range answers {
		first, second := <-both[0], <-both[1]
		require.NoError(t, errors.Join(first.err, second.err))
		require.Equal(t, http.StatusOK, first.status, first.body)
		require.Equal(t, first.body, second.body, "one change, and both answers have it")
		p.api.requireTaken(t, path, p.tracked("in flight")[path])
	}
	p.api.awaitTracked(t, transferOffers, "left", "created") // a client that disconnects loses nothing
	other.interrupt(t)

	// The node that accepted it dies before it answers.
	for path, body := range p.tracked("unanswered") {
		killed := p.arm(failpoint.AfterStart, theAPI)
		lost := p.api.ask(t.Context(), "alice", "", path, body)
		killed()
		require.Error(t, (<-lost).err)
		p.revive(theAPI)
		await(t, path+" is there", func() error {
			known, err := p.api.tryChange(t.Context(), "alice", "", path+"/unanswered/status", nil)
			if err == nil && known.status != http.StatusOK {
				err = errors.New(known.body)
			}
			return err
		})
		p.api.requireTaken(t, path, body)
	}
	require.Len(t, p.api.openOffers(t, "bob"), 3, "each exists once")

	// The worker dies while it accepts, and before it commits: the client only waits longer.
	for i, point := range []string{failpoint.AfterAppend, failpoint.AfterCommit} {
		killed := p.arm(point, theWorker)
		waiting := p.api.ask(t.Context(), "bob", "", transferOffers+"/"+p.api.openOffers(t, "bob")[0]+"/accept", nil)
		killed()
		p.revive(theWorker)
		accepted := <-waiting
		require.NoError(t, accepted.err)
		require.Equal(t, http.StatusOK, accepted.status, accepted.body)
		require.Len(t, p.api.openOffers(t, "bob"), 2-i)
	}

	// A request that failed keeps its id too.
	withdrawn := p.api.openOffers(t, "bob")[0]
	p.api.change(t, "alice", "", transferOffers+"/"+withdrawn+"/withdraw", nil).ok(t, nil)
	for _, path := range []string{transferOffers, buyTraffic} {
		p.api.requireTaken(t, path, p.tracked("in flight")[path])
		p.api.requireTaken(t, path, p.tracked("unanswered")[path])
	}
	p.kill(theAPI, theWorker)
	p.revive(theAPI, theWorker)
	for path, body := range p.tracked("unanswered") {
		p.api.requireTaken(t, path, body)
	}
	for _, trackingID := range []string{"in%20flight", "unanswered"} {
		p.api.awaitTracked(t, buyTraffic, trackingID, "completed")
	}
	require.EqualValues(t, 400_000, p.api.bought(t))
	await(t, "both offers are paid", func() error {
		if got := p.api.spendable(t, "bob"); got != "10.0000000000" {
			return errors.New(got)
		}
		return nil
	})
	require.Equal(t, "18656.4000000000", p.api.spendable(t, "alice"), "20,000 less two offers and two purchases")
	p.audit()
}

// keyedChange is a change with an Idempotency-Key, and the spendable coin of its wallet afterwards.
type keyedChange struct {
	user, path string
	body       any
	spendable  string
}

func (p *traders) keyedChanges() []keyedChange {
	p.t.Helper()
	p.api.change(p.t, "bob", "", "/v0/wallet/tap", map[string]any{"amount": "0.05"}).ok(p.t, nil)
	var offered struct {
		ID string `json:"offer_contract_id"`
	}
	p.api.change(p.t, "bob", "", transferOffers, offerTo(p.alice, "10", "before")).ok(p.t, &offered)
	return []keyedChange{
		{"alice", "/v0/wallet/tap", map[string]any{"amount": "1"}, "200.0000000000"},
		{"alice", transferOffers, offerTo(p.bob, "5", "keyed"), "200.0000000000"},
		{"alice", transferOffers + "/" + offered.ID + "/accept", nil, "210.0000000000"},
		{"alice", "/v0/wallet/token-standard/transfers", offerTo(p.bob, "7", "token"), "203.0000000000"},
		{"bob", "/v0/wallet/transfer-preapproval", nil, "0.0000000000"},
		{adminUser, "/v0/admin/users", map[string]any{"name": "carol"}, ""},
	}
}

// The node dies after a change, before it has stored the answer for the Idempotency-Key: a retry gets the answer, and
// the change happens once.
func TestIdempotencyKey_ChangesOnceUnderKills(t *testing.T) {
	t.Parallel()
	p := newTraders(t)
	p.api.change(t, "app-user", "", "/v0/wallet/tap", map[string]any{"amount": "10"}).ok(t, nil) // for a preapproval
	for i, change := range p.keyedChanges() {
		key := fmt.Sprintf("key-%d", i)
		killed := p.arm(failpoint.BeforeAnswer, theAPI)
		lost := p.api.ask(t.Context(), change.user, key, change.path, change.body)
		killed()
		require.Error(t, (<-lost).err, "%s was answered", change.path)
		p.revive(theAPI)
		var first changeResponse
		await(t, "the key of "+change.path+" is let go", func() (err error) {
			first, err = p.api.tryChange(t.Context(), change.user, key, change.path, change.body)
			if err == nil && first.status == http.StatusConflict && first.header.Get("Retry-After") != "" {
				err = errors.New(first.body)
			}
			return err
		})
		require.Equal(t, http.StatusOK, first.status, "%s: %s", change.path, first.body)
		require.Empty(t, first.header.Get("Idempotency-Replayed"))
		second := p.api.change(t, change.user, key, change.path, change.body)
		require.Equal(t, first.body, second.body)
		require.Equal(t, "true", second.header.Get("Idempotency-Replayed"))
		require.Equal(t, first.header.Get("Florin-Workflow-Id"), second.header.Get("Florin-Workflow-Id"))
		if change.spendable != "" {
			await(t, "what came of "+change.path, func() error {
				if got := p.api.spendable(t, change.user); got != change.spendable {
					return errors.New(got)
				}
				return nil
			})
		}
	}
	p.audit()
}
