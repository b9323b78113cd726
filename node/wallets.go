package node

import (
	"context"
	"errors"
	"fmt"

	"github.com/florinledger/florin/api/walletapi"
	"github.com/florinledger/florin/api/walletapi/instruments"
)

// openWallets makes the API of the wallets, and opens the operator's wallet if it is missing. Without a worker in this
// process it waits for the worker of another one.
func (n *Node) openWallets(ctx, _ context.Context) (err error) {
	registries, err := instruments.ParseRegistries(n.options.Settings.TokenRegistries)
	if err != nil {
		return fmt.Errorf("--token-registries: %w", err)
	}
	n.Wallets, err = walletapi.New(walletapi.Options{
		Node: n.Identity, Packages: n.packages, Catalog: n.catalog, Record: n.Database, Submitter: n.client,
		Onboarder: n.client, Now: n.clock.Now, LedgerUser: n.Settings.AdminUser, Traffic: n.trafficRules(),
		Registries: registries, Log: n.options.Log,
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
