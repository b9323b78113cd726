package walletapi_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/apitest"
	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/payments"
	"github.com/florinledger/florin/coin/token"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/decimal"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// inAnHour is when the contracts of these tests expire.
func inAnHour() lf.Timestamp { return lf.TimestampOf(time.Now().Add(time.Hour)) }

func amount(text string) payments.PaymentAmount {
	return payments.PaymentAmount{Amount: decimal.MustParse(text), Unit: payments.AmuletUnit}
}

// paymentRequest is an app's request that a party pays it.
func (b bank) paymentRequest(payer, app ledger.Party) string {
	b.t.Helper()
	id := apitest.Create(b.Server, payments.AppPaymentRequest{
		Sender: payer, ReceiverAmounts: []payments.ReceiverAmount{{Receiver: app, Amount: amount("10")}}, Provider: app,
		DSO: b.Node.DSO, ExpiresAt: inAnHour(), Description: "a ride",
	}, payer, app)
	return string(id)
}

// subscriptionRequest is an app's request that a party subscribes.
func (b bank) subscriptionRequest(payer, app ledger.Party) string {
	b.t.Helper()
	id := apitest.Create(b.Server, payments.SubscriptionRequest{
		SubscriptionData: payments.SubscriptionData{
			Sender: payer, Receiver: app, Provider: app, DSO: b.Node.DSO, Description: "news",
		},
		PayData: payments.SubscriptionPayData{
			PaymentAmount: amount("10"), PaymentInterval: lf.RelTimeOf(time.Hour), PaymentDuration: lf.RelTimeOf(time.Minute),
		},
	}, payer, app)
	return string(id)
}

// idleSubscription is a subscription between two payments.
func (b bank) idleSubscription(payer, app ledger.Party) string {
	b.t.Helper()
	data := payments.SubscriptionData{Sender: payer, Receiver: app, Provider: app, DSO: b.Node.DSO}
	reference := lf.CID[payments.SubscriptionRequest](b.subscriptionRequest(payer, app))
	id := apitest.Create(b.Server, payments.Subscription{SubscriptionData: data, Reference: reference}, payer, app)
	idle := apitest.Create(b.Server, payments.SubscriptionIdleState{
		Subscription: id, SubscriptionData: data, NextPaymentDueAt: inAnHour(), Reference: reference,
		PayData: payments.SubscriptionPayData{
			PaymentAmount: amount("10"), PaymentInterval: lf.RelTimeOf(time.Hour), PaymentDuration: lf.RelTimeOf(time.Minute),
		},
	}, payer, app)
	return string(idle)
}

func (b bank) delegation(beneficiary, delegate ledger.Party) walletapp.MintingDelegation {
	return walletapp.MintingDelegation{
		Beneficiary: beneficiary, Delegate: delegate, DSO: b.Node.DSO, ExpiresAt: inAnHour(), AmuletMergeLimit: 10,
	}
}

func (b bank) fundCoupon(beneficiary, manager ledger.Party) string {
	b.t.Helper()
	id := apitest.Create(b.Server, coin.DevelopmentFundCoupon{
		DSO: b.Node.DSO, Beneficiary: beneficiary, FundManager: manager, Amount: decimal.MustParse("10"),
		ExpiresAt: inAnHour(), Reason: "work",
	}, b.Node.DSO)
	return string(id)
}

// theirs makes one of everything that an endpoint takes the id of, between Alice and the operator, by the path of the
// endpoints.
func (b bank) theirs() map[string]string {
	b.t.Helper()
	operator := b.Node.Operator
	b.tap(b.alice, "10")
	var allocated struct {
		Output map[string]string `json:"output"`
	}
	allocation := b.allocation("leg")
	b.post(b.alice, allocations, allocation).OK(&allocated)
	asked := apitest.Create(b.Server, Request{Asker: operator, Asked: b.alice.Party}, operator)
	operatorWallet := b.OperatorWallet()
	return map[string]string{
		offers + "/{contract_id}":    b.offer(b.alice, operatorWallet, "theirs"),
		offers:                       b.offer(b.alice, operatorWallet, "theirs too"),
		offers + "/{tracking_id}":    "theirs",
		transfers + "/{contract_id}": b.pending(b.alice, operatorWallet, "theirs"),
		"/v0/wallet/token-standard/allocation-requests/{contract_id}": string(asked),
		allocations + "/{contract_id}":                                allocated.Output["allocation_cid"],
		"/v0/wallet/app-payment-requests/{contract_id}":               b.paymentRequest(b.alice.Party, operator),
		"/v0/wallet/subscription-requests/{contract_id}":              b.subscriptionRequest(b.alice.Party, operator),
		"DELETE /v0/wallet/subscription-requests/{contract_id}":       b.idleSubscription(b.alice.Party, operator),
		"/v0/wallet/development-fund-coupons/{contract_id}":           b.fundCoupon(b.alice.Party, operator),
		"/v0/wallet/minting-delegation-proposals/{contract_id}": string(apitest.Create(b.Server,
			walletapp.MintingDelegationProposal{Delegation: b.delegation(operator, b.alice.Party)}, operator)),
		"/v0/wallet/minting-delegations/{contract_id}": string(apitest.Create(b.Server,
			b.delegation(operator, b.alice.Party), operator, b.alice.Party)),
	}
}

// Request is an app's request to set coin aside.
type Request struct {
	_     struct{}     `lf:"api-request:Api.Request:Request"`
	Asker ledger.Party `lf:"asker"`
	Asked ledger.Party `lf:"asked"`
}

// requestPackage is the package of an app.
func requestPackage(dso ledger.Party) ledger.Package {
	view := func(r Request) (token.AllocationRequestView, error) {
		return token.AllocationRequestView{
			Settlement: token.SettlementInfo{Executor: r.Asker, SettlementRef: token.Reference{ID: "deal"}},
			TransferLegs: map[string]token.TransferLeg{"leg": {
				Sender: r.Asked, Receiver: r.Asker, Amount: decimal.MustParse("1"),
				InstrumentID: token.InstrumentID{Admin: dso, ID: coin.InstrumentName},
			}},
		}, nil
	}
	return ledger.Package{
		ID: lf.PackageID(strings.Repeat("b", 64)), Name: "api-request", Version: "1.0.0",
		Templates: []ledger.TemplateSource{ledger.Template[Request]{
			Signatories: func(r Request) []ledger.Party { return []ledger.Party{r.Asker} },
			Observers:   func(r Request) []ledger.Party { return []ledger.Party{r.Asked} },
			Interfaces: []ledger.ImplementationOf[Request]{
				ledger.Implements[Request, token.AllocationRequest, token.AllocationRequestView]{
					View: view,
					Choices: []ledger.ChoiceOf[Request]{
						ledger.Choice[Request, token.AllocationRequestReject, token.ChoiceExecutionMetadata]{
							Body: func(
								*ledger.Tx, lf.CID[Request], Request, token.AllocationRequestReject,
							) (none token.ChoiceExecutionMetadata, err error) {
								none.Meta.Values = map[string]string{"said": "no"}
								return none, nil
							},
						},
						ledger.Choice[Request, token.AllocationRequestWithdraw, token.ChoiceExecutionMetadata]{
							Body: func(
								*ledger.Tx, lf.CID[Request], Request, token.AllocationRequestWithdraw,
							) (none token.ChoiceExecutionMetadata, err error) {
								return none, nil
							},
						},
					},
				},
			},
		}},
	}
}

// TestNobodyTouchesWhatIsOthers asks, with every endpoint that takes an id, for what Alice shares with the operator, as
// Bob, who has a wallet of the same operator: all of it does not exist for him, and nothing happens.
func TestNobodyTouchesWhatIsOthers(t *testing.T) {
	t.Parallel()
	b := newBank(t, apitest.Options{Packages: []ledger.Package{requestPackage("DSO::" + apitest.Namespace)}})
	theirs := b.theirs()
	answer := b.Send(http.MethodGet, "/docs/openapi/validator", http.Header{"Accept": {"application/json"}}, nil)
	document, err := openapi3.NewLoader().LoadFromData([]byte(answer.Text))
	require.NoError(t, err)
	before, err := b.DB.Head(t.Context())
	require.NoError(t, err)
	asked := 0
	for path, item := range document.Paths.Map() {
		if !strings.HasPrefix(path, "/v0/wallet/") && !strings.HasPrefix(path, allocations) ||
			strings.HasPrefix(path, "/v0/wallet/buy-traffic") {
			continue
		}
		for method, operation := range item.Operations() {
			var base, id string
			var body any
			if before, _, found := strings.Cut(path, "}"); found {
				base = before + "}"
			} else if slices.Contains([]string{offers + "/accept", offers + "/reject", offers + "/withdraw"}, path) {
				body, base = map[string]any{"contract_id": theirs[offers]}, offers
			} else {
				continue
			}
			if id = theirs[method+" "+base]; id == "" {
				id = theirs[base]
			}
			require.NotEmpty(t, id, "what could Bob ask %s %s for?", method, path)
			if operation.RequestBody != nil && body == nil {
				body = map[string]any{"reason": "because"}
			}
			got := b.Call("bob", method, strings.Replace(path, base, asPath(base, id), 1), body)
			require.Equal(t, http.StatusNotFound, got.Status, "%s %s: %s", method, path, got.Text)
			var refusal struct{ Error string }
			require.NoError(t, json.Unmarshal([]byte(got.Text), &refusal))
			asked++
		}
	}
	require.Equal(t, 23, asked, "every endpoint with an id, and those whose bodies have one")
	after, err := b.DB.Head(t.Context())
	require.NoError(t, err)
	require.Equal(t, before.Offset, after.Offset, "nothing was even tried")
}

func asPath(base, id string) string {
	if before, _, found := strings.Cut(base, "{"); found {
		return before + id
	}
	return base
}

func cidOf[T any](id string) lf.CID[T] { return lf.CID[T](id) }
