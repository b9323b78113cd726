package e2e_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/client"
)

const (
	transferOffers = "/v0/wallet/transfer-offers"
	buyTraffic     = "/v0/wallet/buy-traffic-requests"
)

// onboard onboards a user and returns its party.
func (e endpoint) onboard(t *testing.T, user string) string {
	t.Helper()
	var answer struct {
		Party string `json:"party_id"`
	}
	e.change(t, adminUser, "", "/v0/admin/users", map[string]any{"name": user}).ok(t, &answer)
	return answer.Party
}

// spendable is the unlocked coin of a wallet.
func (e endpoint) spendable(t *testing.T, user string) string {
	t.Helper()
	var balance struct {
		Unlocked string `json:"effective_unlocked_qty"`
	}
	require.NoError(t, e.as(user).Get(t.Context(), "/v0/wallet/balance", &balance))
	return balance.Unlocked
}

// trackedStatus is the status of a tracking id.
type trackedStatus struct {
	Status        string
	TransactionID string `json:"transaction_id"`
	ContractID    string `json:"contract_id"`
}

// tracked asks for the status of an offer or of a request to buy traffic.
func (e endpoint) tracked(t *testing.T, user, path, trackingID string) (status trackedStatus) {
	t.Helper()
	e.change(t, user, "", path+"/"+trackingID+"/status", nil).ok(t, &status)
	return status
}

// awaitTracked waits until a tracked request of Alice has a status.
func (e endpoint) awaitTracked(t *testing.T, path, trackingID, expected string) (status trackedStatus) {
	t.Helper()
	await(t, trackingID+" is "+expected, func() error {
		answer, err := e.tryChange(t.Context(), "alice", "", path+"/"+trackingID+"/status", nil)
		if err != nil || answer.status != http.StatusOK {
			return errors.Join(err, errors.New(answer.body))
		}
		if status = e.tracked(t, "alice", path, trackingID); status.Status != expected {
			return errors.New(status.Status)
		}
		return nil
	})
	return status
}

// openOffers are the ids of the open offers to and from a user.
func (e endpoint) openOffers(t *testing.T, user string) []string {
	t.Helper()
	var list struct {
		Offers []struct {
			ID string `json:"contract_id"`
		}
	}
	require.NoError(t, e.as(user).Get(t.Context(), transferOffers, &list))
	ids := []string{}
	for _, offer := range list.Offers {
		ids = append(ids, offer.ID)
	}
	return ids
}

// history is a wallet's history, the newest first: the choice, and each party's change of coin.
func (e endpoint) history(t *testing.T, user string) []string {
	t.Helper()
	type change struct{ Party, Amount string }
	var page struct {
		Items []struct {
			Subtype   struct{ Choice string } `json:"transaction_subtype"`
			Sender    *change
			Receivers []change
		}
	}
	e.change(t, user, "", "/v0/wallet/transactions", map[string]any{"page_size": 100}).ok(t, &page)
	said := []string{}
	for _, item := range page.Items {
		words := []string{item.Subtype.Choice}
		if item.Sender != nil {
			item.Receivers = append([]change{*item.Sender}, item.Receivers...)
		}
		for _, changed := range item.Receivers {
			name, _, _ := strings.Cut(changed.Party, "::")
			words = append(words, name, changed.Amount)
		}
		said = append(said, strings.Join(words, " "))
	}
	return said
}

// offerTo is an offer of coin.
func offerTo(receiver, amount, trackingID string) map[string]any {
	return map[string]any{
		"receiver_party_id": receiver, "amount": amount, "description": "lunch", "tracking_id": trackingID,
		"expires_at": time.Now().Add(time.Hour).UnixMicro(),
	}
}

// wishFor is a request to buy traffic for a party's node.
func (e endpoint) wishFor(t *testing.T, party, trackingID string) map[string]any {
	t.Helper()
	return map[string]any{
		"receiving_validator_party_id": party, "domain_id": synchronizerOf(t, e), "traffic_amount": 200_000,
		"tracking_id": trackingID, "expires_at": time.Now().Add(time.Hour).UnixMicro(),
	}
}

// requireTaken requires that a used tracking id of alice is refused, with the text of its endpoint.
func (e endpoint) requireTaken(t *testing.T, path string, body map[string]any) {
	t.Helper()
	words := map[string]string{
		transferOffers: "CreateTransferOffer duplicate command",
		buyTraffic:     fmt.Sprintf("Buy traffic request with trackingId %s already exists.", body["tracking_id"]),
	}
	taken := e.change(t, "alice", "", path, body)
	require.Equal(t, http.StatusConflict, taken.status, taken.body)
	require.JSONEq(t, `{"error":"`+words[path]+`"}`, taken.body)
}

// restartableNode is a node that can restart.
type restartableNode struct {
	*servedNode
	at installation
}

// again stops the node with a signal and starts it again.
func (s *restartableNode) again(t *testing.T, signal syscall.Signal) {
	t.Helper()
	require.NoError(t, s.Signal(signal))
	s.waitEnd(t)
	s.servedNode = serve(t, "serve", s.at)
}

// The node stops or dies in the middle of the transfers of two users: its answers stay true.
func TestWallet_ResumesAfterStopsAndKills(t *testing.T) {
	t.Parallel()
	i := install(t)
	n := &restartableNode{serve(t, "serve", i), i}
	alice, bob := n.onboard(t, "alice"), n.onboard(t, "bob")
	n.change(t, "alice", "", "/v0/wallet/tap", map[string]any{"amount": "10"}).ok(t, nil)

	offer := offerTo(bob, "25.5", "ord-7781")
	var created struct {
		ID string `json:"offer_contract_id"`
	}
	n.change(t, "alice", "", transferOffers, offer).ok(t, &created)
	before := n.tracked(t, "alice", transferOffers, "ord-7781")
	require.Equal(t, trackedStatus{"created", before.TransactionID, created.ID}, before)

	n.again(t, syscall.SIGTERM)
	for _, user := range []string{"alice", "bob"} {
		require.Equal(t, []string{created.ID}, n.openOffers(t, user))
		require.Equal(t, before, n.tracked(t, user, transferOffers, "ord-7781"))
	}
	n.requireTaken(t, transferOffers, offer)
	require.Equal(t, "2000.0000000000", n.spendable(t, "alice"), "an offer takes no coin")

	n.change(t, "bob", "", transferOffers+"/"+created.ID+"/accept", nil).ok(t, nil)
	n.again(t, syscall.SIGKILL)
	completed := n.awaitTracked(t, transferOffers, "ord-7781", "completed")
	require.Equal(t, completed, n.tracked(t, "bob", transferOffers, "ord-7781"))
	var holdings struct {
		Amulets []struct {
			Contract struct {
				Contract struct {
					ID string `json:"contract_id"`
				}
			}
		}
	}
	require.NoError(t, n.as("bob").Get(t.Context(), "/v0/wallet/coins", &holdings))
	require.Len(t, holdings.Amulets, 1)
	require.Equal(t, completed.ContractID, holdings.Amulets[0].Contract.Contract.ID, "Bob has the coin")
	require.Empty(t, n.openOffers(t, "bob"))
	again := n.change(t, "bob", "", transferOffers+"/"+created.ID+"/accept", nil)
	require.Equal(t, http.StatusNotFound, again.status, again.body)
	n.requireTaken(t, transferOffers, offer)

	wish := n.wishFor(t, alice, "bt-1")
	n.change(t, "alice", "", buyTraffic, wish).ok(t, nil)
	n.again(t, syscall.SIGKILL)
	n.awaitTracked(t, buyTraffic, "bt-1", "completed")
	n.requireTaken(t, buyTraffic, wish)
	require.EqualValues(t, 200_000, n.bought(t), "one purchase")

	require.Equal(t, []string{
		"AmuletRules_BuyMemberTraffic alice -666.8000000000",
		"AcceptedTransferOffer_Complete alice -25.5000000000 bob 25.5000000000",
		"AmuletRules_DevNet_Tap alice 2000.0000000000",
	}, n.history(t, "alice"))
	require.Equal(t, []string{
		"AcceptedTransferOffer_Complete alice -25.5000000000 bob 25.5000000000",
	}, n.history(t, "bob"))
	require.Equal(t, "1307.7000000000", n.spendable(t, "alice"))
	require.Equal(t, "25.5000000000", n.spendable(t, "bob"))
	audited := run(t, i.environment(), "audit")
	require.Equal(t, 0, audited.exitCode(t), "%s%s", audited.stdout, audited.stderr)
}

// change sends a change of a user, with an Idempotency-Key unless it is empty.
func (e endpoint) change(t *testing.T, user, key, path string, body any) changeResponse {
	t.Helper()
	answer, err := e.tryChange(t.Context(), user, key, path, body)
	require.NoError(t, err)
	return answer
}

// changeResponse is the answer to a change.
type changeResponse struct {
	status int
	header http.Header
	body   string
}

// tryChange is change for nodes that may die before the answer.
func (e endpoint) tryChange(ctx context.Context, user, key, path string, body any) (none changeResponse, err error) {
	content, err := json.Marshal(body)
	if err != nil {
		return none, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url+path, bytes.NewReader(content))
	if err != nil {
		return none, err
	}
	request.Header.Set("Authorization", "Bearer "+client.Token(secret, audience, user))
	request.Header.Set("Content-Type", "application/json")
	if key != "" {
		request.Header.Set("Idempotency-Key", key)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return none, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return changeResponse{response.StatusCode, response.Header, string(text)}, err
}

func (a changeResponse) ok(t *testing.T, into any) changeResponse {
	t.Helper()
	require.Equal(t, http.StatusOK, a.status, a.body)
	if into != nil {
		require.NoError(t, json.Unmarshal([]byte(a.body), into), a.body)
	}
	return a
}

func synchronizerOf(t *testing.T, e endpoint) string {
	t.Helper()
	var answer struct {
		ConnectedSynchronizers []struct {
			SynchronizerID string `json:"synchronizerId"`
		} `json:"connectedSynchronizers"`
	}
	require.NoError(t, e.admin().Get(t.Context(), "/v2/state/connected-synchronizers", &answer))
	return answer.ConnectedSynchronizers[0].SynchronizerID
}

// bought is the node's purchased traffic.
func (e endpoint) bought(t *testing.T) int64 {
	t.Helper()
	var traffic struct {
		Status struct {
			Actual struct {
				Limit int64 `json:"total_limit"`
			}
		} `json:"traffic_status"`
	}
	path := fmt.Sprintf("/api/scan/v0/domains/%s/members/PAR::%s/traffic-status",
		synchronizerOf(t, e), participantOf(t, e))
	require.NoError(t, e.admin().Get(t.Context(), path, &traffic))
	return traffic.Status.Actual.Limit
}

// participantOf is the id of a node's participant.
func participantOf(t *testing.T, e endpoint) string {
	t.Helper()
	var answer struct {
		ParticipantID string `json:"participantId"`
	}
	require.NoError(t, e.admin().Get(t.Context(), "/v2/parties/participant-id", &answer))
	return answer.ParticipantID
}
