package validator

import (
	"context"
	"net/http"

	v0 "github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger/lf"
)

// Network is what payments refer to as of now.
type Network struct {
	Rules Contract[coin.AmuletRules]
	// Open are the open rounds, opened or not; latest is the one that payments name.
	Open   []Contract[coin.OpenMiningRound]
	Latest Contract[coin.OpenMiningRound]
}

// Network reads the rules of the coin and its rounds. Without an open round nothing can be paid: that is a 404, as
// upstream's.
func (b *Base) Network(ctx context.Context) (n Network, err error) {
	rules, err := Active[coin.AmuletRules](ctx, b, b.Node.DSO)
	if err != nil {
		return n, err
	}
	n.Open, err = Active[coin.OpenMiningRound](ctx, b, b.Node.DSO)
	if err != nil {
		return n, err
	}
	latest, ok := coin.NewestRound(n.Open, payloadOfRound, lf.TimestampOf(b.Now()))
	if len(rules) == 0 || !ok {
		return n, v0.Refuse(http.StatusNotFound,
			"There is no open mining round yet: the coin is being created, or its rounds are not being advanced. "+
				"Try again shortly.")
	}
	n.Rules, n.Latest = rules[len(rules)-1], latest
	return n, nil
}

func payloadOfRound(c Contract[coin.OpenMiningRound]) coin.OpenMiningRound { return c.Payload }

// Payment is the context of payments.
func (n Network) Payment() coin.PaymentTransferContext {
	context := coin.PaymentTransferContext{AmuletRules: lf.CID[coin.AmuletRules](n.Rules.ID)}
	context.Context.OpenMiningRound = lf.CID[coin.OpenMiningRound](n.Latest.ID)
	return context
}

// Earliest is the earliest round that is open at a time.
func (n Network) Earliest(at lf.Timestamp) (Contract[coin.OpenMiningRound], bool) {
	return coin.EarliestRound(n.Open, payloadOfRound, at)
}
