package history

import (
	"cmp"
	"maps"
	"slices"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
)

// changes returns the change of each party's unlocked coin in the sub-tree of the event at index i: created coin less
// archived coin.
func (r *reader) changes(i int) (map[ledger.Party]decimal.Decimal, error) {
	out := map[ledger.Party]decimal.Decimal{}
	for _, event := range r.update.Events[i:r.end(i)] {
		if event.Template.QualifiedName() != amuletModule+"Amulet" || event.Kind == ledger.EventFetch {
			continue
		}
		if event.Kind == ledger.EventExercise && !event.Consuming {
			continue
		}
		payload := event.Argument
		var err error
		if event.Kind == ledger.EventExercise {
			if payload, err = r.payload(event.ContractID); err != nil {
				return nil, err
			}
		}
		var owner ledger.Party
		var amount decimal.Decimal
		if err := decodeAt(payload, []string{"owner"}, &owner); err != nil {
			return nil, err
		}
		if err := decodeAt(payload, []string{"amount", "initialAmount"}, &amount); err != nil {
			return nil, err
		}
		if event.Kind == ledger.EventExercise {
			amount = amount.Neg()
		}
		if out[owner], err = out[owner].Add(amount); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (r *reader) changeOf(i int, party ledger.Party) (decimal.Decimal, error) {
	changes, err := r.changes(i)
	return changes[party], err
}

// fillTransfer sets the amounts and rewards of a sender's transfer. Receivers are all other parties whose coin grew.
func (r *reader) fillTransfer(item *Item, i int, sender ledger.Party) error {
	changes, err := r.changes(i)
	if err != nil {
		return err
	}
	item.Sender = PartyAmount{Party: sender, Amount: changes[sender]}
	for _, party := range slices.SortedFunc(maps.Keys(changes), cmp.Compare) {
		if party != sender && changes[party].Sign() > 0 {
			item.Receivers = append(item.Receivers, PartyAmount{Party: party, Amount: changes[party]})
		}
	}
	return r.addRewards(item, i)
}

// summaries lists the paths of a transfer's summary in the results of choices.
func summaries() [][]string {
	return [][]string{{"summary"}, {"transferResult", "summary"}, {"result", "summary"}}
}

// addRewards adds the minted rewards of the transfers in the sub-tree of an event. A choice with a summary includes all
// transfers below it.
func (r *reader) addRewards(item *Item, i int) error {
	for at, end := i, r.end(i); at < end; {
		hasSummary, err := r.addSummary(item, r.update.Events[at])
		if err != nil {
			return err
		}
		if hasSummary {
			at = r.end(at)
		} else {
			at++
		}
	}
	return nil
}

func (r *reader) addSummary(item *Item, event ledger.Event) (hasSummary bool, err error) {
	if event.Kind != ledger.EventExercise || len(event.Result) == 0 || event.Result[0] != '{' {
		return false, nil
	}
	for _, path := range summaries() {
		var summary *struct {
			App             decimal.Decimal `json:"inputAppRewardAmount"`
			Validator       decimal.Decimal `json:"inputValidatorRewardAmount"`
			SV              decimal.Decimal `json:"inputSvRewardAmount"`
			DevelopmentFund decimal.Decimal `json:"inputDevelopmentFundAmount"`
		}
		if err := decodeAt(event.Result, path, &summary); err != nil || summary == nil {
			continue // another field of this name
		}
		for _, add := range []struct {
			to   *decimal.Decimal
			what decimal.Decimal
		}{
			{&item.Rewards.App, summary.App},
			{&item.Rewards.Validator, summary.Validator},
			{&item.Rewards.SV, summary.SV},
			{&item.Rewards.DevelopmentFund, summary.DevelopmentFund},
		} {
			if *add.to, err = add.to.Add(add.what); err != nil {
				return true, err
			}
		}
		return true, nil
	}
	return false, nil
}
