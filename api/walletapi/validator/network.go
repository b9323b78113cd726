package validator

import (
	"context"
	"net/http"

	v0 "github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/wallet/plan"
)

// Network reads the rules of the coin and its rounds. Without an open round there are no payments: that is a 404, as
// upstream.
func (b *Base) Network(ctx context.Context) (plan.Network, error) {
	n, open, err := plan.NetworkOf(b.View(ctx))
	if err == nil && !open {
		err = v0.Refuse(http.StatusNotFound,
			"There is no open mining round yet: the coin is being created, or its rounds are not being advanced. "+
				"Try again shortly.")
	}
	return n, err
}
