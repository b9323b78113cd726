package node

import (
	"context"
	"errors"
	"fmt"

	"github.com/florinledger/florin/api/walletapi"
)

// openWallets makes the API of the wallets, and opens the operator's wallet if it is missing. Without a worker in this
// process it waits for the worker of another one.
func (n *Node) openWallets(ctx, _ context.Context) (err error) {
	n.Wallets, err = walletapi.New(walletapi.Options{
		Node: n.Identity, Packages: n.packages, Catalog: n.catalog, Record: n.Database, Submitter: n.client,
		Onboarder: n.client, Now: n.clock.Now, LedgerUser: n.Settings.AdminUser, Traffic: n.trafficRules(),
		Log: n.options.Log,
	})
	if err != nil {
		return err
	}
	deadline, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	err = n.Wallets.OpenOperatorWallet(deadline)
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("no worker took the submission within %s: start one with `florin worker`", connectTimeout)
	}
	return err
}
