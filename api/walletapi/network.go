package walletapi

import (
	"context"
	"net/http"

	v0 "github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger/lf"
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
	latest, ok := coin.NewestRound(n.open, payloadOfRound, lf.TimestampOf(a.now()))
	if len(rules) == 0 || !ok {
		return n, v0.Refuse(http.StatusNotFound,
			"There is no open mining round yet: the coin is being created, or its rounds are not being advanced. "+
				"Try again shortly.")
	}
	n.rules, n.latest = rules[len(rules)-1], latest
	return n, nil
}

func payloadOfRound(c contract[coin.OpenMiningRound]) coin.OpenMiningRound { return c.Payload }

// payment is the context of payments.
func (n network) payment() coin.PaymentTransferContext {
	context := coin.PaymentTransferContext{AmuletRules: lf.CID[coin.AmuletRules](n.rules.ID)}
	context.Context.OpenMiningRound = lf.CID[coin.OpenMiningRound](n.latest.ID)
	return context
}
