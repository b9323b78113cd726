package instruments

import (
	"context"
	"encoding/json"
	"time"

	"github.com/florinledger/florin/api/walletapi/validator"
	"github.com/florinledger/florin/coin/token"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/wallet/plan"
	"github.com/florinledger/florin/wallet/tokens"
)

// nameLifetime is how long a caller's name deduplicates a payment.
const nameLifetime = 24 * time.Hour

// allocationClaim is the part of an allocation's view that the wallet uses.
type allocationClaim struct {
	Allocation struct {
		Leg struct {
			Sender     ledger.Party      `json:"sender"`
			Instrument tokens.Instrument `json:"instrumentId"`
		} `json:"transferLeg"`
	} `json:"allocation"`
}

// Allocations lists what a party has set aside, oldest first.
func (a *API) Allocations(ctx context.Context, party ledger.Party) ([]ClaimedContract, error) {
	return claims(ctx, a, party, tokens.AllocationInterface, func(claim allocationClaim) bool {
		return claim.Allocation.Leg.Sender == party
	})
}

// Allocate composes an allocation of the caller's holdings, which it chooses.
func (a *API) Allocate(
	ctx context.Context, w validator.Owner, commandID string, of token.AllocationSpecification, requestedAt lf.Timestamp,
	trust Trust,
) validator.Composed[token.AllocationInstructionResult] {
	leg := of.TransferLeg
	return payment[token.AllocationInstructionResult](ctx, a, w, paymentOf{
		commandID: commandID, trust: trust, kind: allocationFactory(), choice: "AllocationFactory_Allocate",
		admin: leg.InstrumentID.Admin,
		pays:  tokens.Payment{Instrument: instrumentOf(leg.InstrumentID), Amount: leg.Amount, Packages: trust},
		argument: func(inputs []ledger.ContractID) (json.RawMessage, error) {
			return ledger.Encode(a.Packages, token.AllocationFactoryAllocate{
				ExpectedAdmin: leg.InstrumentID.Admin, Allocation: of, RequestedAt: requestedAt,
				InputHoldingCids: holdingIDs(inputs),
			})
		},
	})
}

// WithdrawAllocation composes the withdrawal of an allocation; it is false if the contract is none of an uploaded
// package.
func (a *API) WithdrawAllocation(
	ctx context.Context, w validator.Owner, id string, trust Trust,
) (composed validator.Composed[token.AllocationWithdrawResult], ok bool, err error) {
	var claim allocationClaim
	contract, ok, err := a.stakeholderOf(ctx, w.Party, id, tokens.AllocationInterface, &claim)
	if err != nil || !ok {
		return composed, false, err
	}
	composed = validator.ComposedOf[token.AllocationWithdrawResult](a.Base, w, validator.Change{})
	composed.Compose = func(plan.View) (validator.Change, error) {
		return a.choose(ctx, w, contract, tokens.AllocationInterface, "Allocation_Withdraw",
			claim.Allocation.Leg.Instrument.Admin, "/registry/allocations/v1/"+id+"/choice-contexts/withdraw", trust)
	}
	return composed, true, nil
}
