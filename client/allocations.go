package client

import (
	"context"
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"time"

	"github.com/florinledger/florin/ledger/decimal"
)

// Paths of allocations, for coin and for tokens of uploaded packages.
const (
	AllocationsPath        = "/v0/allocations"
	AllocationRequestsPath = "/v0/wallet/token-standard/allocation-requests"
)

// WithdrawalPath is the path that takes back what an allocation sets aside.
func WithdrawalPath(id string) string {
	return AllocationsPath + "/" + url.PathEscape(id) + "/withdraw"
}

// Settlement is a set of transfers that an executor makes together.
type Settlement struct {
	Executor  string `json:"executor"`
	Reference struct {
		ID       string  `json:"id"`
		Contract *string `json:"cid"`
	} `json:"settlementRef"`
	Requested      time.Time `json:"requestedAt"`
	AllocateBefore time.Time `json:"allocateBefore"`
	SettleBefore   time.Time `json:"settleBefore"`
	Meta           metadata  `json:"meta"`
}

// metadata is the token standard's metadata.
type metadata struct {
	Values map[string]string `json:"values"`
}

// Leg is one transfer of a settlement.
type Leg struct {
	ID         string          `json:"-"`
	Sender     string          `json:"sender"`
	Receiver   string          `json:"receiver"`
	Amount     decimal.Decimal `json:"amount"`
	Instrument Instrument      `json:"instrumentId"`
	Meta       metadata        `json:"meta"`
	// IsCoin is true if the instrument is the coin. Anybody may give another token the coin's name, so that its
	// administrator matters.
	IsCoin bool `json:"-"`
}

// AllocationRequest asks the client's user to set something aside. It is what an app's code says.
type AllocationRequest struct {
	ContractID string
	Settlement Settlement
	// Legs are those that the user pays, in order of their ids.
	Legs []Leg
}

// AllocationRequests lists the requests of apps to a party, which is the client's user's.
func (c *Client) AllocationRequests(ctx context.Context, party string) (all []AllocationRequest, err error) {
	var out struct {
		Requests []struct {
			Contract offerContract[struct {
				Settlement Settlement     `json:"settlement"`
				Legs       map[string]Leg `json:"transferLegs"`
			}] `json:"contract"`
		} `json:"allocation_requests"`
	}
	if err := c.Get(ctx, AllocationRequestsPath, &out); err != nil || len(out.Requests) == 0 {
		return nil, err
	}
	dso, err := c.DSO(ctx)
	if err != nil {
		return nil, err
	}
	for _, one := range out.Requests {
		request := AllocationRequest{ContractID: one.Contract.ID, Settlement: one.Contract.Payload.Settlement}
		for _, id := range slices.Sorted(maps.Keys(one.Contract.Payload.Legs)) {
			leg := one.Contract.Payload.Legs[id]
			leg.ID, leg.IsCoin = id, leg.Instrument == Instrument{Admin: dso, ID: CoinInstrument}
			if leg.Sender == party {
				request.Legs = append(request.Legs, leg)
			}
		}
		all = append(all, request)
	}
	return all, nil
}

// Allocate is the body of the API request that sets a leg aside. trust matters for other tokens than coin.
func (r AllocationRequest) Allocate(leg Leg, trust []string) any {
	of := r.Settlement
	body := map[string]any{
		"settlement": map[string]any{
			"executor":       of.Executor,
			"settlement_ref": map[string]any{"id": of.Reference.ID, "cid": of.Reference.Contract},
			"requested_at":   of.Requested.UnixMicro(), "allocate_before": of.AllocateBefore.UnixMicro(),
			"settle_before": of.SettleBefore.UnixMicro(), "meta": of.Meta.Values,
		},
		"transfer_leg_id": leg.ID,
		"transfer_leg":    map[string]any{"receiver": leg.Receiver, "amount": leg.Amount, "meta": leg.Meta.Values},
	}
	if !leg.IsCoin {
		body["instrument"], body["trusted_packages"] = leg.Instrument, trust
	}
	return body
}

// Allocation is what an owner has set aside for a settlement.
type Allocation struct {
	ContractID string          `json:"contract_id"`
	Executor   string          `json:"executor"`
	Reference  string          `json:"reference"`
	Receiver   string          `json:"receiver"`
	Amount     decimal.Decimal `json:"amount"`
	// SettleBefore is when the allocation expires.
	SettleBefore time.Time `json:"settle_before"`
	// Token is the token, as its package's code claims it; nil for coin.
	Token *TokenKind `json:"token"`
}

// allocationClaim is the payload of an allocation of coin, and the view of any.
type allocationClaim struct {
	Allocation struct {
		Settlement Settlement `json:"settlement"`
		Leg        Leg        `json:"transferLeg"`
	} `json:"allocation"`
}

func (a allocationClaim) of(contractID string, token *TokenKind) Allocation {
	settlement, leg := a.Allocation.Settlement, a.Allocation.Leg
	return Allocation{
		ContractID: contractID, Executor: settlement.Executor, Reference: settlement.Reference.ID, Receiver: leg.Receiver,
		Amount: leg.Amount, SettleBefore: settlement.SettleBefore, Token: token,
	}
}

// Allocations lists what the client's user has set aside: coin, then tokens of uploaded packages.
func (c *Client) Allocations(ctx context.Context) ([]Allocation, error) {
	var out struct {
		Coin []struct {
			Contract offerContract[allocationClaim] `json:"contract"`
		} `json:"allocations"`
		Others []claimedContract `json:"other_allocations"`
	}
	if err := c.Get(ctx, AllocationsPath, &out); err != nil {
		return nil, err
	}
	all := []Allocation{}
	for _, one := range out.Coin {
		all = append(all, one.Contract.Payload.of(one.Contract.ID, nil))
	}
	for _, one := range out.Others {
		var claim allocationClaim
		if json.Unmarshal(one.View, &claim) == nil {
			all = append(all, claim.of(one.ContractID, one.token(claim.Allocation.Leg.Instrument)))
		}
	}
	return all, nil
}
