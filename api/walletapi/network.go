package walletapi

import (
	"cmp"
	"context"
	"net/http"
	"slices"

	"github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/decimal"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/wallet"
)

// network is what payments refer to as of now.
type network struct {
	rules contract[coin.AmuletRules]
	// open are the open rounds, opened or not; latest is the one that payments name.
	open   []contract[coin.OpenMiningRound]
	latest contract[coin.OpenMiningRound]
}

// network reads the rules of the coin and its rounds. Without an open round nothing can be paid: that is a 404, as
// upstream's.
func (a *API) network(ctx context.Context) (n network, err error) {
	rules, err := active[coin.AmuletRules](ctx, a, a.node.DSO)
	if err != nil {
		return n, err
	}
	n.open, err = active[coin.OpenMiningRound](ctx, a, a.node.DSO)
	if err != nil {
		return n, err
	}
	rounds := make([]coin.OpenMiningRound, len(n.open))
	for i, round := range n.open {
		rounds[i] = round.Payload
	}
	latest, ok := wallet.LatestRound(rounds, lf.TimestampOf(a.now()))
	if len(rules) == 0 || !ok {
		return n, v0.Refuse(http.StatusNotFound,
			"There is no open mining round yet: the coin is being created, or its rounds are not being advanced. "+
				"Try again shortly.")
	}
	n.rules = rules[len(rules)-1]
	n.latest = n.open[slices.IndexFunc(rounds, func(r coin.OpenMiningRound) bool { return r.Round == latest.Round })]
	return n, nil
}

// payment is the context of payments.
func (n network) payment() coin.PaymentTransferContext {
	context := coin.PaymentTransferContext{AmuletRules: lf.CID[coin.AmuletRules](n.rules.ID)}
	context.Context.OpenMiningRound = lf.CID[coin.OpenMiningRound](n.latest.ID)
	return context
}

// inputs are the coins that a payment of the party takes: the largest, as many as a transfer may have.
func (a *API) inputs(ctx context.Context, n network, party ledger.Party) ([]coin.TransferInput, error) {
	type held struct {
		id     ledger.ContractID
		amount decimal.Decimal
	}
	var coins []held
	err := eachActive(ctx, a, party, func(c contract[coin.Amulet]) bool {
		if c.Payload.Owner == party {
			coins = append(coins, held{c.ID, c.Payload.Amount.InitialAmount})
		}
		return true
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(coins, func(x, y held) int { return cmp.Or(y.amount.Cmp(x.amount), cmp.Compare(x.id, y.id)) })
	most := int(n.rules.Payload.ConfigSchedule.InitialValue.TransferConfig.MaxNumInputs)
	inputs := make([]coin.TransferInput, 0, min(most, len(coins)))
	for _, c := range coins[:min(most, len(coins))] {
		inputs = append(inputs, coin.InputAmulet(lf.CID[coin.Amulet](c.id)))
	}
	return inputs, nil
}
