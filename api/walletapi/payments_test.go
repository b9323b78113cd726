package walletapi_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/test/apitest"
)

const (
	paymentRequests      = "/v0/wallet/app-payment-requests"
	subscriptionRequests = "/v0/wallet/subscription-requests"
)

type locatedContract struct {
	Contract listedContract `json:"contract"`
	DomainID string         `json:"domain_id"`
}

// Each of many concurrent payments chooses its own coin, or waits for change.
func TestPayments_ConcurrentPaymentsAllSucceed(t *testing.T) {
	t.Parallel()
	const many = 40
	b := newBank(t, apitest.Options{RequestTimeout: apitest.Patience})
	b.preapprove(b.bob)
	b.tap(b.alice, "1") // 200 coin
	var paying sync.WaitGroup
	answers := make([]apitest.Answer, many)
	for i := range many {
		paying.Go(func() {
			answers[i] = b.post(b.alice, "/v0/wallet/transfer-preapproval/send", map[string]any{
				"receiver_party_id": b.bob.Party, "amount": "1", "deduplication_id": fmt.Sprint("payment-", i),
			})
		})
	}
	paying.Wait()
	for _, answer := range answers {
		answer.OK(nil)
	}
	unlocked, _ := b.balance(b.bob)
	require.Equal(t, "40.0000000000", unlocked)
}

func TestAppPaymentRequest_IsAcceptedOrRejected(t *testing.T) {
	t.Parallel()
	b := newBank(t, apitest.Options{})
	b.tap(b.alice, "1")
	id := b.PaymentRequest(b.alice.Party, b.carol.Party)
	var requests struct {
		Requests []locatedContract `json:"payment_requests"`
	}
	b.get(b.alice, paymentRequests).OK(&requests)
	require.Len(t, requests.Requests, 1)
	require.Equal(t, b.Node.SynchronizerID, requests.Requests[0].DomainID)
	b.get(b.carol, paymentRequests).OK(&requests)
	require.Empty(t, requests.Requests, "the requests to the caller")
	var request locatedContract
	b.get(b.alice, paymentRequests+"/"+id).OK(&request)
	require.Equal(t, id, request.Contract.ContractID)
	fails(t, b.post(b.carol, paymentRequests+"/"+id+"/accept", nil), http.StatusBadRequest, "DAML_AUTHORIZATION_ERROR")
	fails(t, b.post(b.carol, paymentRequests+"/"+id+"/reject", nil), http.StatusBadRequest, "DAML_AUTHORIZATION_ERROR")

	var accepted struct {
		ID string `json:"accepted_payment_contract_id"`
	}
	b.post(b.alice, paymentRequests+"/"+id+"/accept", nil).OK(&accepted)
	var payments struct {
		Payments []locatedContract `json:"accepted_app_payments"`
	}
	b.get(b.alice, "/v0/wallet/accepted-app-payments").OK(&payments)
	require.Len(t, payments.Payments, 1)
	require.Equal(t, accepted.ID, payments.Payments[0].Contract.ContractID)
	unlocked, locked := b.balance(b.alice)
	require.Equal(t, "190.0000000000", unlocked)
	require.Equal(t, "10.0000000000", locked)
	fails(t, b.post(b.alice, paymentRequests+"/"+id+"/accept", nil), http.StatusNotFound, "Contract id not found")

	id = b.PaymentRequest(b.alice.Party, b.carol.Party)
	answer := b.post(b.alice, paymentRequests+"/"+id+"/reject", nil)
	answer.OK(nil)
	require.Empty(t, answer.Text)
	fails(t, b.get(b.alice, paymentRequests+"/"+id), http.StatusNotFound, "Contract id not found")
	id = b.PaymentRequest(b.bob.Party, b.carol.Party)
	fails(t, b.post(b.bob, paymentRequests+"/"+id+"/accept", nil), http.StatusBadRequest, "insufficient-funds")
}

func TestSubscriptionRequest_IsAcceptedOrRejected(t *testing.T) {
	t.Parallel()
	b := newBank(t, apitest.Options{})
	b.tap(b.alice, "1")
	id := b.SubscriptionRequest(b.alice.Party, b.carol.Party)
	require.Equal(t, []string{id}, b.offers(b.alice, subscriptionRequests, "subscription_requests"))
	require.Empty(t, b.offers(b.carol, subscriptionRequests, "subscription_requests"))
	var request listedContract
	b.get(b.alice, subscriptionRequests+"/"+id).OK(&request)
	require.Equal(t, id, request.ContractID)
	fails(t, b.post(b.carol, subscriptionRequests+"/"+id+"/accept", nil), http.StatusBadRequest, "DAML_AUTHORIZATION")
	fails(t, b.post(b.carol, subscriptionRequests+"/"+id+"/reject", nil), http.StatusBadRequest, "DAML_AUTHORIZATION")
	var paid struct {
		ID string `json:"initial_payment_contract_id"`
	}
	b.post(b.alice, subscriptionRequests+"/"+id+"/accept", nil).OK(&paid)
	require.Equal(t, []string{paid.ID}, b.offers(b.alice, "/v0/wallet/subscription-initial-payments", "initial_payments"))
	_, locked := b.balance(b.alice)
	require.Equal(t, "10.0000000000", locked)

	id = b.SubscriptionRequest(b.alice.Party, b.carol.Party)
	b.post(b.alice, subscriptionRequests+"/"+id+"/reject", nil).OK(nil)
	fails(t, b.get(b.alice, subscriptionRequests+"/"+id), http.StatusNotFound, "Contract id not found")

	idle := b.IdleSubscription(b.alice.Party, b.carol.Party)
	var list struct {
		Subscriptions []struct {
			Subscription listedContract
			State        map[string]listedContract
		}
	}
	b.get(b.alice, "/v0/wallet/subscriptions").OK(&list)
	require.Len(t, list.Subscriptions, 1)
	require.Len(t, list.Subscriptions[0].State, 1)
	require.Equal(t, idle, list.Subscriptions[0].State["idle"].ContractID)
	cancel := func(w *apitest.Wallet) apitest.Answer {
		return b.Call(w.User, http.MethodDelete, subscriptionRequests+"/"+idle, nil)
	}
	fails(t, cancel(b.carol), http.StatusBadRequest, "DAML_AUTHORIZATION_ERROR")
	cancel(b.alice).OK(nil)
	fails(t, cancel(b.alice), http.StatusNotFound, "Contract id not found")
	b.get(b.alice, "/v0/wallet/subscriptions").OK(&list)
	require.Empty(t, list.Subscriptions)
}

func TestAllocationRequests_ListsAndRejects(t *testing.T) {
	t.Parallel()
	const path = "/v0/wallet/token-standard/allocation-requests"
	b := newBank(t, apitest.Options{Packages: []ledger.Package{apitest.RequestPackage()}})
	id := string(apitest.Create(b.Server, apitest.Request{Asker: b.carol.Party, Asked: b.alice.Party}, b.carol.Party))
	var list struct {
		Requests []struct{ Contract listedContract } `json:"allocation_requests"`
	}
	b.get(b.alice, path).OK(&list)
	require.Len(t, list.Requests, 1)
	require.Equal(t, id, list.Requests[0].Contract.ContractID)
	asked := list.Requests[0].Contract
	require.Regexp(t, "^[0-9a-f]{64}:Splice.Api.Token.AllocationRequestV1:AllocationRequest$", asked.TemplateID)
	require.Equal(t, map[string]any{"leg": map[string]any{
		"sender": string(b.alice.Party), "receiver": string(b.carol.Party), "amount": "1.0",
		"instrumentId": map[string]any{"admin": string(b.Node.DSO), "id": "Amulet"}, "meta": map[string]any{"values": map[string]any{}},
	}}, asked.Payload["transferLegs"], "the payload is the view")
	b.get(b.carol, path).OK(&list)
	require.Empty(t, list.Requests)
	fails(t, b.post(b.carol, path+"/"+id+"/reject", nil), http.StatusNotFound, "AllocationRequest '"+id+"' not found.")
	answer := b.post(b.alice, path+"/"+id+"/reject", nil)
	answer.OK(nil)
	require.JSONEq(t, `{"meta":{"said":"no"}}`, answer.Text)
	fails(t, b.post(b.alice, path+"/"+id+"/reject", nil), http.StatusNotFound, "AllocationRequest '"+id+"' not found.")
}
