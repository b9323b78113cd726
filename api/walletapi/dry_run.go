package walletapi

import (
	"context"

	"github.com/florinledger/florin/api/changes"
	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/decimal"
	"github.com/florinledger/florin/fault"
	"github.com/florinledger/florin/ledger"
)

// plan shows what a change would come to, and always ends with an error: [changes.ErrDryRun], or the refusal that the
// change would get.
func (a *API) plan(ctx context.Context, plan *changes.Plan, c change) error {
	n, err := a.network(ctx)
	if err != nil {
		return err
	}
	transaction, err := a.preview(ctx, c)
	if err != nil {
		return err
	}
	if err := a.addToPlan(n, plan, transaction); err != nil {
		return fault.Internal(err)
	}
	if err := a.checkReserve(ctx, c); err != nil {
		return err
	}
	if err := a.checkTraffic(ctx, plan.Answer.Traffic.Bytes); err != nil && !c.Urgent {
		return err
	}
	if c.Later != nil {
		return a.planLater(ctx, n, plan, c)
	}
	return changes.ErrDryRun
}

// planLater shows what automation does after a change.
func (a *API) planLater(ctx context.Context, n network, plan *changes.Plan, c change) error {
	later, err := c.Later()
	if err != nil {
		return err
	}
	transaction, err := a.preview(ctx, later.change)
	if err != nil {
		plan.Later = true
		return later.explain(err)
	}
	if later.awaited {
		return changes.ErrDryRun
	}
	if err := a.addToPlan(n, plan, transaction); err != nil {
		return fault.Internal(err)
	}
	return changes.ErrDryRun
}

// addToPlan adds what one transaction comes to.
func (a *API) addToPlan(n network, plan *changes.Plan, transaction ledger.Transaction) error {
	answer := &plan.Answer
	if path := pathOf(transaction); path != "" && answer.Path == nil {
		answer.Path = &path
	}
	bytes, err := ledger.TrafficCost(transaction.Events())
	if err != nil {
		return err
	}
	answer.Traffic.Bytes += bytes
	rules, round := n.rules.Payload, n.latest.Payload
	answer.Traffic.Amulet, answer.Traffic.USD, err = rules.TrafficPrice(round, answer.Traffic.Bytes)
	if err != nil {
		return err
	}
	spent, err := a.spent(transaction, plan.Party)
	if err != nil {
		return err
	}
	if answer.Coin.Amulet, err = answer.Coin.Amulet.Add(spent); err != nil {
		return err
	}
	answer.Coin.USD, err = answer.Coin.Amulet.Mul(round.AmuletPrice)
	return err
}

// spent is by how much a transaction lowers the coin that a party can spend: what it gave away, what was burned, and
// what was locked.
func (a *API) spent(transaction ledger.Transaction, party ledger.Party) (spent decimal.Decimal, err error) {
	template, err := ledger.TemplateName[coin.Amulet](a.packages)
	if err != nil {
		return spent, err
	}
	contracts := make(map[ledger.ContractID]ledger.Contract)
	for _, input := range transaction.Inputs {
		contracts[input.ID] = input
	}
	created := transaction.Created()
	for _, made := range created {
		contracts[made.Contract.ID] = made.Contract
	}
	count := func(contract ledger.Contract, sign int64) error {
		if contract.Template != template {
			return nil
		}
		payload, err := ledger.DecodePayload[coin.Amulet](a.packages, contract)
		if err != nil || payload.Owner != party {
			return err
		}
		amount, err := payload.Amount.InitialAmount.Mul(decimal.FromInt(sign))
		if err == nil {
			spent, err = spent.Add(amount)
		}
		return err
	}
	for _, id := range transaction.Consumed() {
		if err := count(contracts[id], 1); err != nil {
			return spent, err
		}
	}
	for _, made := range created {
		if err := count(made.Contract, -1); err != nil {
			return spent, err
		}
	}
	return spent, nil
}

// The ways that a change can take.
const (
	// pathOffer makes an offer that the receiver has to accept, pathPreapproval sends at once because the receiver agreed
	// beforehand.
	pathOffer       = "offer"
	pathPreapproval = "preapproval"
	// pathTwoStep locks the coin until the receiver accepts; pathOneStep moves it at once.
	pathTwoStep = "two-step"
	pathOneStep = "one-step"
	// pathTrafficRequest has automation buy traffic, pathNewPreapproval has it make a preapproval.
	pathTrafficRequest = "traffic-request"
	pathNewPreapproval = "new-preapproval"
)

// pathOf is the way that a transaction takes; "" for one that does nothing that has several.
func pathOf(transaction ledger.Transaction) string {
	created := map[string]string{
		"Splice.Wallet.TransferOffer:TransferOffer":                     pathOffer,
		"Splice.Wallet.BuyTrafficRequest:BuyTrafficRequest":             pathTrafficRequest,
		"Splice.AmuletTransferInstruction:AmuletTransferInstruction":    pathTwoStep,
		"Splice.Wallet.TransferPreapproval:TransferPreapprovalProposal": pathNewPreapproval,
		"Splice.AmuletRules:TransferPreapproval":                        pathNewPreapproval,
	}
	path, byStandard := "", false
	for _, node := range transaction.Nodes {
		way := created[node.Template.QualifiedName()]
		switch {
		case node.Kind == ledger.EventCreate && way != "":
			return way
		case node.Kind != ledger.EventExercise:
		case node.Choice == "TransferFactory_Transfer":
			path, byStandard = pathOneStep, true
		case byStandard:
		case node.Choice == "TransferPreapproval_Send" || node.Choice == "TransferPreapproval_SendV2":
			path = pathPreapproval
		case node.Choice == "AmuletRules_Transfer" && path == "":
			path = pathOneStep
		}
	}
	return path
}

// checkTraffic refuses what the node's traffic does not cover, if its synchronizer does.
func (a *API) checkTraffic(ctx context.Context, bytes int64) error {
	settings, err := a.record.LedgerSettings(ctx)
	if err != nil || !settings.EnforceTraffic {
		return err
	}
	head, err := a.record.Head(ctx)
	if err != nil {
		return err
	}
	_, err = head.Traffic.Charge(bytes, nil, nil, a.now(), a.traffic.Under(settings))
	return err
}
