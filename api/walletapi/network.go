package walletapi

import (
	"context"
	"net/http"
	"slices"

	"github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/wallet"
	"github.com/florinledger/florin/wallet/plan"
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

// inputs are the coins that a payment of the party takes.
func (a *API) inputs(ctx context.Context, party ledger.Party) ([]coin.TransferInput, error) {
	return plan.Inputs(a.view(ctx), party)
}
