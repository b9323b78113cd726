//go:build long

package e2e_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/client"
)

// TestLifecycles_DoNotDelaySubmissions accepts hundreds of offers in one submission of a user, which the node completes
// by itself, while another user taps. If lifecycles took the slots of submissions, taps would wait until their timeout.
// The limit is far from both times, for busy machines.
func TestLifecycles_DoNotDelaySubmissions(t *testing.T) {
	t.Parallel()
	const offers = 400
	n := serve(t, "serve", install(t), "--list-limit", "1000000")
	dso := findDSO(t, n.endpoint)
	mallory, accomplice, alice := n.wallet(t, "mallory"), n.wallet(t, "accomplice"), n.wallet(t, "alice")
	tap := func(who account) error {
		return who.Post(t.Context(), "/v0/wallet/tap", map[string]string{"amount": "1"}, nil)
	}
	require.NoError(t, tap(mallory))

	taps := startTapping(t, func() error { return tap(alice) })
	mallory.haveAccepted(t, dso, accomplice, offers)
	await(t, "half of the offers are completed", func() error {
		end, err := n.admin().LedgerEnd(t.Context())
		if err != nil {
			return err
		}
		left, err := accomplice.ActiveContracts(t.Context(), end, accomplice.party(), "#splice-wallet:"+acceptedOfferEntity)
		if err == nil && len(left) > offers/2 {
			err = fmt.Errorf("%d are left", len(left))
		}
		return err
	})
	took := taps()
	require.Greater(t, len(took), 5, "taps go on meanwhile")
	slices.Sort(took)
	t.Logf("%d taps: median %s, longest %s", len(took), took[len(took)/2], took[len(took)-1])
	// Without their own slots, lifecycles delay taps until the timeout of 20 seconds.
	require.Less(t, took[len(took)-1], 10*time.Second)
	f := &faultyNode{t: t, servedNode: n}
	status, text := f.readyz()
	require.Equal(t, http.StatusOK, status, text)
}

type offer = map[string]any

const acceptedOfferEntity = "Splice.Wallet.TransferOffer:AcceptedTransferOffer"

// wallet onboards a user with its own token.
func (e endpoint) wallet(t *testing.T, user string) account {
	t.Helper()
	a := account{user: user, Client: e.as(user)}
	var registered struct {
		Party string `json:"party_id"`
	}
	require.NoError(t, a.Post(t.Context(), "/v0/register", map[string]any{}, &registered))
	a.parties = []string{registered.Party}
	return a
}

// haveAccepted makes offers to another account, which accepts all at once.
func (a account) haveAccepted(t *testing.T, dso string, receiver account, count int) {
	t.Helper()
	offers := make([]client.Command, count)
	for i := range offers {
		offers[i] = client.Command{Create: &client.Create{TemplateID: offerTemplate, CreateArguments: offer{
			"sender": a.party(), "receiver": receiver.party(), "dso": dso, "trackingId": strconv.Itoa(i), "description": "",
			"amount":    map[string]string{"amount": "0.0000000001", "unit": "AmuletUnit"},
			"expiresAt": time.Now().Add(24 * time.Hour).UTC().Format(time.RFC3339),
		}}}
	}
	made, err := a.SubmitAndWaitForTransaction(t.Context(), client.Commands{
		CommandID: "offers", ActAs: a.parties, Commands: offers,
	})
	require.NoError(t, err)
	var accept []client.Command
	for _, offer := range made.Created(offerEntity) {
		accept = append(accept, client.Command{Exercise: &client.Exercise{
			TemplateID: offerTemplate, ContractID: offer.ContractID, Choice: "TransferOffer_Accept",
			ChoiceArgument: map[string]any{},
		}})
	}
	require.Len(t, accept, count)
	_, err = receiver.SubmitAndWait(t.Context(), client.Commands{
		CommandID: "accept", ActAs: receiver.parties, Commands: accept,
	})
	require.NoError(t, err)
}

// startTapping calls tap repeatedly until stop, which returns the durations.
func startTapping(t *testing.T, tap func() error) (stop func() []time.Duration) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	var took []time.Duration
	var failure error
	running.Go(func() {
		for ctx.Err() == nil && failure == nil {
			began := time.Now()
			failure = tap()
			took = append(took, time.Since(began))
		}
	})
	return func() []time.Duration {
		cancel()
		running.Wait()
		require.NoError(t, failure)
		return took
	}
}
