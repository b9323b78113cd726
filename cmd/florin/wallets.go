package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/florinledger/florin/api/walletapi"
)

// openWallets makes the API of the wallets, and gives the operator its own wallet if it has none yet. On a process
// without a worker it waits until some worker has done it.
func (n *node) openWallets(ctx, _ context.Context) (err error) {
	n.wallets, err = walletapi.New(walletapi.Options{
		Node: n.identity, Packages: n.packages, Catalog: n.catalog, Record: n.database, Submitter: n.client,
		Onboarder: n.client, Now: n.clock.Now, LedgerUser: n.settings.AdminUser, Traffic: n.trafficRules(),
		Log: n.options.log,
	})
	if err != nil {
		return err
	}
	deadline, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	err = n.wallets.OpenOperatorWallet(deadline)
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("no worker took the submission within %s: start one with `florin worker`", connectTimeout)
	}
	return err
}
