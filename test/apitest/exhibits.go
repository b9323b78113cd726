package apitest

import (
	"net/http"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/payments"
	"github.com/florinledger/florin/coin/token"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
)

// inAnHour is the expiry of the contracts of these tests.
func inAnHour() lf.Timestamp { return lf.TimestampOf(now().Add(time.Hour)) }

func payment(text string) payments.PaymentAmount {
	return payments.PaymentAmount{Amount: decimal.MustParse(text), Unit: payments.AmuletUnit}
}

// PaymentRequest is an app's request for a payment of a party.
func (s *Server) PaymentRequest(payer, app ledger.Party) string {
	s.tb.Helper()
	id := Create(s, payments.AppPaymentRequest{
		Sender: payer, ReceiverAmounts: []payments.ReceiverAmount{{Receiver: app, Amount: payment("10")}}, Provider: app,
		DSO: s.Node.DSO, ExpiresAt: inAnHour(), Description: "a ride",
	}, payer, app)
	return string(id)
}

// SubscriptionRequest is an app's request for a subscription of a party.
func (s *Server) SubscriptionRequest(payer, app ledger.Party) string {
	s.tb.Helper()
	id := Create(s, payments.SubscriptionRequest{
		SubscriptionData: payments.SubscriptionData{
			Sender: payer, Receiver: app, Provider: app, DSO: s.Node.DSO, Description: "news",
		},
		PayData: hourly(),
	}, payer, app)
	return string(id)
}

func hourly() payments.SubscriptionPayData {
	return payments.SubscriptionPayData{
		PaymentAmount: payment("10"), PaymentInterval: lf.RelTimeOf(time.Hour), PaymentDuration: lf.RelTimeOf(time.Minute),
	}
}

// IdleSubscription is a subscription between two payments.
func (s *Server) IdleSubscription(payer, app ledger.Party) string {
	s.tb.Helper()
	data := payments.SubscriptionData{Sender: payer, Receiver: app, Provider: app, DSO: s.Node.DSO}
	reference := lf.CID[payments.SubscriptionRequest](s.SubscriptionRequest(payer, app))
	id := Create(s, payments.Subscription{SubscriptionData: data, Reference: reference}, payer, app)
	idle := Create(s, payments.SubscriptionIdleState{
		Subscription: id, SubscriptionData: data, NextPaymentDueAt: inAnHour(), Reference: reference, PayData: hourly(),
	}, payer, app)
	return string(idle)
}

// Delegation lets a delegate mint the rewards of a beneficiary.
func (s *Server) Delegation(beneficiary, delegate ledger.Party) walletapp.MintingDelegation {
	return walletapp.MintingDelegation{
		Beneficiary: beneficiary, Delegate: delegate, DSO: s.Node.DSO, ExpiresAt: inAnHour(), AmuletMergeLimit: 10,
	}
}

// FundCoupon is a coupon of the development fund.
func (s *Server) FundCoupon(beneficiary, manager ledger.Party) string {
	s.tb.Helper()
	id := Create(s, coin.DevelopmentFundCoupon{
		DSO: s.Node.DSO, Beneficiary: beneficiary, FundManager: manager, Amount: decimal.MustParse("10"),
		ExpiresAt: inAnHour(), Reason: "work",
	}, s.Node.DSO)
	return string(id)
}

// Theirs is the tracking id of the contracts of [Server.OneOfEach].
const Theirs = "theirs"

// OneOfEach creates one contract for each wallet endpoint with a contract id, between an owner, who has coin, and
// another party. It returns the ids by the paths of the endpoints. It needs [RequestPackage].
func (s *Server) OneOfEach(owner, other, receiver *Wallet) map[string]string {
	s.tb.Helper()
	const offers, transfers, allocations = "/v0/wallet/transfer-offers", "/v0/wallet/token-standard/transfers",
		"/v0/allocations"
	post := func(path string, body map[string]any, target any) {
		s.tb.Helper()
		s.Call(owner.User, http.MethodPost, path, body).OK(target)
	}
	transfer := func(trackingID string) map[string]any {
		return map[string]any{
			"receiver_party_id": other.Party, "amount": "25.5", "description": "lunch",
			"expires_at": now().Add(time.Hour).UnixMicro(), "tracking_id": trackingID,
		}
	}
	var first, second struct {
		ID string `json:"offer_contract_id"`
	}
	post(offers, transfer(Theirs), &first)
	post(offers, transfer(Theirs+" too"), &second)
	var instructed, allocated struct {
		Output map[string]any `json:"output"`
	}
	post(transfers, transfer(Theirs), &instructed)
	post(allocations, map[string]any{
		"settlement": map[string]any{
			"executor": other.Party, "settlement_ref": map[string]any{"id": "deal"},
			"requested_at": now().Add(-time.Hour).UnixMicro(), "allocate_before": now().Add(time.Hour).UnixMicro(),
			"settle_before": now().Add(2 * time.Hour).UnixMicro(),
		},
		"transfer_leg_id": "leg", "transfer_leg": map[string]any{"receiver": receiver.Party, "amount": "25"},
	}, &allocated)
	idOf := func(output map[string]any, name string) string {
		id, ok := output[name].(string)
		require.True(s.tb, ok, output)
		return id
	}
	return map[string]string{
		offers + "/{contract_id}":    first.ID,
		offers:                       second.ID,
		offers + "/{tracking_id}":    Theirs,
		transfers + "/{contract_id}": idOf(instructed.Output, "transfer_instruction_cid"),
		"/v0/wallet/token-standard/allocation-requests/{contract_id}": string(
			Create(s, Request{Asker: other.Party, Asked: owner.Party}, other.Party)),
		allocations + "/{contract_id}":                          idOf(allocated.Output, "allocation_cid"),
		"/v0/wallet/app-payment-requests/{contract_id}":         s.PaymentRequest(owner.Party, other.Party),
		"/v0/wallet/subscription-requests/{contract_id}":        s.SubscriptionRequest(owner.Party, other.Party),
		"DELETE /v0/wallet/subscription-requests/{contract_id}": s.IdleSubscription(owner.Party, other.Party),
		"/v0/wallet/development-fund-coupons/{contract_id}":     s.FundCoupon(owner.Party, other.Party),
		"/v0/wallet/minting-delegation-proposals/{contract_id}": string(Create(s,
			walletapp.MintingDelegationProposal{Delegation: s.Delegation(other.Party, owner.Party)}, other.Party)),
		"/v0/wallet/minting-delegations/{contract_id}": string(Create(s,
			s.Delegation(other.Party, owner.Party), other.Party, owner.Party)),
	}
}

// Request is an app's request for an allocation.
type Request struct {
	_     struct{}     `lf:"api-request:Api.Request:Request"`
	Asker ledger.Party `lf:"asker"`
	Asked ledger.Party `lf:"asked"`
}

// RequestPackage is the package of an app that requests allocations.
func RequestPackage() ledger.Package {
	const dso = "DSO::" + Namespace
	requested, deadline := lf.TimestampOf(now().Add(-time.Minute)), inAnHour()
	view := func(r Request) (token.AllocationRequestView, error) {
		return token.AllocationRequestView{
			Settlement: token.SettlementInfo{
				Executor: r.Asker, SettlementRef: token.Reference{ID: "deal"}, RequestedAt: requested,
				AllocateBefore: deadline, SettleBefore: deadline,
			},
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
