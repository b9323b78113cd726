package node

import (
	"context"
	"fmt"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/node/bootstrap"
)

// fundOperator gives the operator of a fresh development ledger coin to pay for preapprovals. A ledger is fresh while
// the genesis is the last entry of its record. An existing or restored ledger stays as it is.
func (n *Node) fundOperator(ctx, _ context.Context) error {
	if !n.options.Development {
		return nil
	}
	known, err := n.Database.CompletionsByKey(ctx, []string{bootstrap.GenesisKey})
	if err != nil {
		return err
	}
	head, err := n.Database.Head(ctx)
	if genesis, ok := known[bootstrap.GenesisKey]; err != nil || !ok || head.Offset > genesis.Offset {
		return err
	}
	rules, err := firstOf[coin.AmuletRules](ctx, n)
	if err != nil {
		return err
	}
	round, err := firstOf[coin.OpenMiningRound](ctx, n)
	if err != nil {
		return err
	}
	tap, err := bootstrap.OperatorCoin(n.packages, n.Identity, n.Settings, rules.ID, round.ID, n.clock.Now())
	if err != nil {
		return err
	}
	return n.submitFirst(ctx, tap, "coin for the operator")
}

// firstOf finds the oldest active contract of a template: of rounds, the one that has been open longest.
func firstOf[T any](ctx context.Context, n *Node) (ledger.Contract, error) {
	name, err := ledger.TemplateName[T](n.packages)
	if err != nil {
		return ledger.Contract{}, err
	}
	contracts, err := n.Database.ActiveByTemplate(ctx, name.String(), 1)
	if err != nil {
		return ledger.Contract{}, err
	}
	if len(contracts) == 0 {
		return ledger.Contract{}, fmt.Errorf("no active contract of %s: the genesis of the ledger is missing", name)
	}
	return contracts[0].Contract, nil
}
