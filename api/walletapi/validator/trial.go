package validator

import (
	"context"
	"iter"
	"maps"
	"slices"

	"github.com/florinledger/florin/api/changes"
	"github.com/florinledger/florin/api/preview"
	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/wallet/plan"
)

// trial is a dry run: it makes changes on a copy of the ledger in memory, writes nothing, and adds up their effects. It
// is the [plan.Reader] and the [preview.ContractReader] of that copy.
type trial struct {
	reader
	preview.ContractReader // contracts of wallets have no keys

	base *Base
	// wallet is the party whose coin it counts.
	wallet  ledger.Party
	preview changes.Preview
	// created and consumed are the differences to the ledger.
	created, consumed map[ledger.ContractID]ledger.Contract
}

func newTrial(ctx context.Context, b *Base, wallet ledger.Party) *trial {
	return &trial{
		reader: reader{ctx, b.record}, ContractReader: b.record, base: b, wallet: wallet,
		created: map[ledger.ContractID]ledger.Contract{}, consumed: map[ledger.ContractID]ledger.Contract{},
	}
}

// view implements [maker].
func (t *trial) view(ctx context.Context) plan.View {
	v := t.base.View(ctx)
	v.Ledger = t
	return v
}

// make implements [maker].
func (t *trial) make(ctx context.Context, c Change) error {
	if err := t.base.checkDeadlines(c.Deadlines); err != nil {
		return err
	}
	n, err := t.base.Network(ctx)
	if err != nil {
		return err
	}
	packages, err := t.base.Catalog.For(ctx)
	if err != nil {
		return err
	}
	transaction, err := t.interpret(ctx, c)
	if err != nil {
		return err
	}
	answer := &t.preview.Answer
	if path := pathOf(packages, transaction); path != "" && answer.Path == nil {
		answer.Path = &path
	}
	if err := t.price(n); err != nil {
		return fault.Internal(err)
	}
	if err := t.base.checkReserve(ctx, c); err != nil {
		return err
	}
	if err := t.base.checkTraffic(ctx, answer.Traffic.Bytes); err != nil && !c.Urgent {
		return err
	}
	return nil
}

// alone implements [maker]. A dry run contends with nobody.
func (*trial) alone(context.Context, ledger.Party) (leave func(), err error) { return func() {}, nil }

// merge implements [maker]. It does not count merges of another payer, such as the operator who provides a preapproval:
// the caller must not learn how that payer's coin is split.
func (t *trial) merge(ctx context.Context, payer ledger.Party, c Change) error {
	answer := &t.preview.Answer
	traffic := answer.Traffic.Bytes
	_, err := t.interpret(ctx, c)
	switch {
	case fault.ContractNotFound.Matches(err):
		return nil
	case payer != t.wallet:
		answer.Traffic.Bytes = traffic
	case err == nil:
		answer.Merges++
	}
	return err
}

// interpret returns the transaction of a change. The error is the one that the change would get.
func (t *trial) interpret(ctx context.Context, c Change) (ledger.Transaction, error) {
	packages, err := t.base.Catalog.For(ctx)
	if err != nil {
		return ledger.Transaction{}, err
	}
	transaction, err := preview.Interpret(ctx, packages, t, t.base.Submission(ctx, c))
	if err != nil {
		return transaction, err
	}
	if err := t.count(transaction); err != nil {
		return transaction, fault.Internal(err)
	}
	contracts := contractsOf(transaction)
	for _, made := range transaction.Created() {
		t.created[made.Contract.ID] = made.Contract
	}
	for _, id := range transaction.Consumed() {
		if _, own := t.created[id]; own {
			delete(t.created, id)
		} else {
			t.consumed[id] = contracts[id]
		}
	}
	return transaction, nil
}

// count adds the effects of one transaction.
func (t *trial) count(transaction ledger.Transaction) error {
	bytes, err := ledger.TrafficCost(transaction.Events())
	if err != nil {
		return err
	}
	spent, err := t.base.spent(transaction, t.wallet)
	if err != nil {
		return err
	}
	effects, err := t.base.effects(transaction, t.wallet)
	if err != nil {
		return err
	}
	answer := &t.preview.Answer
	answer.Traffic.Bytes += bytes
	answer.Effects = append(answer.Effects, effects...)
	answer.Coin.Amulet, err = answer.Coin.Amulet.Add(spent)
	return err
}

// price computes the value of the traffic and the coin.
func (t *trial) price(n plan.Network) (err error) {
	rules, round, answer := n.Rules.Payload, n.Latest.Payload, &t.preview.Answer
	answer.Traffic.Amulet, answer.Traffic.USD, err = rules.TrafficPrice(round, answer.Traffic.Bytes)
	if err != nil {
		return err
	}
	answer.Coin.USD, err = answer.Coin.Amulet.Mul(round.AmuletPrice)
	return err
}

// Contract implements [preview.ContractReader].
func (t *trial) Contract(ctx context.Context, id ledger.ContractID) (db.StoredContract, bool, error) {
	if made, ok := t.created[id]; ok {
		return db.StoredContract{Contract: made}, true, nil
	}
	if _, gone := t.consumed[id]; gone {
		return db.StoredContract{}, false, nil
	}
	return t.ContractReader.Contract(ctx, id)
}

// Held implements [plan.Reader]. Among created contracts it only needs coin, largest first.
func (t *trial) Held(
	template lf.TypeName, holder ledger.Party, order plan.Order, limit int,
) ([]ledger.Contract, error) {
	found, err := t.reader.Held(template, holder, order, limit+len(t.consumed))
	if err != nil || len(t.consumed)+len(t.created) == 0 {
		return found, err
	}
	found = slices.DeleteFunc(found, func(c ledger.Contract) bool {
		_, gone := t.consumed[c.ID]
		return gone
	})
	amounts := map[ledger.ContractID]decimal.Decimal{}
	for _, c := range slices.Concat(found, slices.Collect(maps.Values(t.created))) {
		amount, ok, err := t.base.amountOf(c, holder)
		if err != nil {
			return nil, err
		}
		if !ok || c.Template != template {
			continue
		}
		if _, made := t.created[c.ID]; made {
			found = append(found, c)
		}
		amounts[c.ID] = amount
	}
	if len(amounts) > 0 {
		slices.SortStableFunc(found, func(x, y ledger.Contract) int { return amounts[y.ID].Cmp(amounts[x.ID]) })
	}
	return found[:min(limit, len(found))], nil
}

// Balance implements [plan.Reader].
func (t *trial) Balance(template lf.TypeName, holder ledger.Party) (decimal.Decimal, error) {
	sum, err := t.reader.Balance(template, holder)
	if err != nil {
		return sum, err
	}
	spent, err := t.base.difference(maps.Values(t.consumed), maps.Values(t.created), holder)
	if err != nil {
		return sum, err
	}
	return sum.Sub(spent)
}

// IsActive implements [plan.Reader].
func (t *trial) IsActive(id ledger.ContractID) (bool, error) {
	_, made := t.created[id]
	_, gone := t.consumed[id]
	if made || gone {
		return made, nil
	}
	return t.reader.IsActive(id)
}

// spent is by how much a transaction lowers a party's spendable coin: sent, burned and locked coin.
func (b *Base) spent(transaction ledger.Transaction, party ledger.Party) (decimal.Decimal, error) {
	contracts := contractsOf(transaction)
	var created, consumed []ledger.Contract
	for _, made := range transaction.Created() {
		created = append(created, made.Contract)
	}
	for _, id := range transaction.Consumed() {
		consumed = append(consumed, contracts[id])
	}
	return b.difference(slices.Values(consumed), slices.Values(created), party)
}

// difference is the coin of a party in these contracts minus that in the others.
func (b *Base) difference(
	these, others iter.Seq[ledger.Contract], party ledger.Party,
) (sum decimal.Decimal, err error) {
	for c := range these {
		amount, _, err := b.amountOf(c, party)
		if err != nil {
			return sum, err
		}
		if sum, err = sum.Add(amount); err != nil {
			return sum, err
		}
	}
	for c := range others {
		amount, _, err := b.amountOf(c, party)
		if err != nil {
			return sum, err
		}
		if sum, err = sum.Sub(amount); err != nil {
			return sum, err
		}
	}
	return sum, nil
}

// amountOf is the owner's coin in an unlocked amulet; false for other contracts.
func (b *Base) amountOf(contract ledger.Contract, owner ledger.Party) (none decimal.Decimal, ok bool, err error) {
	template, err := ledger.TemplateName[coin.Amulet](b.Packages)
	if err != nil || contract.Template != template {
		return none, false, err
	}
	payload, err := ledger.DecodePayload[coin.Amulet](b.Packages, contract)
	if err != nil || payload.Owner != owner {
		return none, false, err
	}
	return payload.Amount.InitialAmount, true, nil
}

// contractsOf returns the input and created contracts of a transaction.
func contractsOf(transaction ledger.Transaction) map[ledger.ContractID]ledger.Contract {
	contracts := make(map[ledger.ContractID]ledger.Contract)
	for _, input := range transaction.Inputs {
		contracts[input.ID] = input
	}
	for _, made := range transaction.Created() {
		contracts[made.Contract.ID] = made.Contract
	}
	return contracts
}
