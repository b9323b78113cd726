package instruments

import (
	"context"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/wallet/tokens"
)

// ListTokenHoldingsResponse has the caller's holdings of all tokens but the coin.
type ListTokenHoldingsResponse struct {
	Tokens     []TokenBalance       `json:"tokens" required:"true" doc:"By package and instrument; those that the administrator signed come first"`
	Unreadable []UnreadableContract `json:"unreadable" required:"true" doc:"Contracts of the caller with the interface of holdings whose claims cannot be read"`
}

// TokenBalance has the holdings of one instrument of one package.
type TokenBalance struct {
	PackageName string           `json:"package_name" required:"true" doc:"The package whose code makes the claims"`
	Instrument  InstrumentID     `json:"instrument" required:"true" doc:"Claimed instrument"`
	AdminSigned bool             `json:"admin_signed" required:"true" doc:"Whether the claimed administrator signed the holdings"`
	Unlocked    *decimal.Decimal `json:"unlocked" doc:"Sum of the claimed amounts without a lock; null if it is larger than any amount"`
	Locked      *decimal.Decimal `json:"locked" doc:"Sum of the claimed amounts with a lock; null if it is larger than any amount"`
	// Holdings are oldest first.
	Holdings []ClaimedContract `json:"holdings" required:"true" doc:"The holdings, oldest first"`
}

// UnreadableContract is a contract whose view fails.
type UnreadableContract struct {
	ContractID  ledger.ContractID `json:"contract_id" required:"true" doc:"Its id"`
	PackageName string            `json:"package_name" required:"true" doc:"Its package"`
	Reason      string            `json:"reason" required:"true" doc:"Why its claims cannot be read"`
}

// maxReason limits the text of a failing view, which its code may choose.
const maxReason = 200

// ListHoldings lists the caller's holdings.
func (a *API) ListHoldings(ctx context.Context, _ endpoint.NoRequest) (response ListTokenHoldingsResponse, err error) {
	w, err := a.Caller(ctx, "listTokenHoldings")
	if err != nil {
		return response, err
	}
	holdings, unreadable, err := a.holdings(ctx, w.Party)
	if err != nil {
		return response, err
	}
	response.Unreadable = unreadable
	for _, balance := range tokens.Balances(holdings) {
		shown := TokenBalance{
			PackageName: balance.Kind.Package, Instrument: toAPIInstrument(balance.Kind.Instrument),
			AdminSigned: balance.Kind.Signed, Unlocked: toAPISum(balance.Unlocked), Locked: toAPISum(balance.Locked),
		}
		for _, holding := range balance.Holdings {
			shown.Holdings = append(shown.Holdings, toAPIContract(holding.Contract, holding.View))
		}
		response.Tokens = append(response.Tokens, shown)
	}
	return response, nil
}

func toAPISum(sum tokens.Sum) *decimal.Decimal {
	if sum.TooLarge {
		return nil
	}
	return &sum.Amount
}

// holdings reads the contracts that claim to be holdings of a party. The party must be a stakeholder, so that nobody
// claims holdings for others who do not see them.
func (a *API) holdings(
	ctx context.Context, party ledger.Party,
) (holdings []tokens.Holding, unreadable []UnreadableContract, err error) {
	packages, err := a.Catalog.For(ctx)
	if err != nil {
		return nil, nil, err
	}
	found, err := a.Implementing(ctx, packages, party, tokens.HoldingInterface)
	for _, one := range found {
		var holding tokens.Holding
		if one.Err == nil {
			holding, one.Err = tokens.ReadHolding(one.Contract, one.View)
		}
		switch {
		case one.Err != nil:
			unreadable = append(unreadable, UnreadableContract{
				ContractID: one.Contract.ID, PackageName: one.Contract.PackageName, Reason: reasonOf(one.Err),
			})
		case holding.Claim.Owner == party:
			holdings = append(holdings, holding)
		}
	}
	return holdings, unreadable, err
}
