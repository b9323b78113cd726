package automation

import (
	"cmp"
	"slices"

	"github.com/florinledger/florin/decimal"
	"github.com/florinledger/florin/ledger"
)

// The limits of merging for others (contract, "Limits").
const (
	// MergeAbove is how many holdings an owner may have before they are merged.
	MergeAbove = 10
	// MergeInputs is how many holdings are merged at once.
	MergeInputs = 100
	// MergeBatch is how many owners' merges are one transaction.
	MergeBatch = 100
)

// Delegator is an owner who lets the operator merge its holdings.
type Delegator struct {
	Owner      ledger.Party
	Delegation ledger.ContractID
	// Coins are the owner's unlocked holdings.
	Coins []Coin
}

// Merge is one owner's merge: a transfer to itself of the sum of some of its holdings.
type Merge struct {
	Owner      ledger.Party
	Delegation ledger.ContractID
	// Holdings are the smallest ones first.
	Holdings []ledger.ContractID
	Amount   decimal.Decimal
}

// MergeTransaction is merges that go into one transaction, under its command id.
type MergeTransaction struct {
	CommandID string
	Merges    []Merge
}

// PlanMerges merges for the owners who have more than [MergeAbove] holdings, the ones with the most first, one merge
// for each; the error is an amount too large for the contract language.
func PlanMerges(delegators []Delegator) ([]MergeTransaction, error) {
	due := slices.DeleteFunc(slices.Clone(delegators), func(d Delegator) bool { return len(d.Coins) <= MergeAbove })
	slices.SortFunc(due, func(a, b Delegator) int {
		return cmp.Or(cmp.Compare(len(b.Coins), len(a.Coins)), cmp.Compare(a.Owner, b.Owner),
			cmp.Compare(a.Delegation, b.Delegation))
	})
	due = slices.CompactFunc(due, func(a, b Delegator) bool { return a.Owner == b.Owner })
	var batches []MergeTransaction
	for chunk := range slices.Chunk(due, MergeBatch) {
		var batch MergeTransaction
		var named []any
		for _, delegator := range chunk {
			merge, err := delegator.merge()
			if err != nil {
				return nil, err
			}
			batch.Merges = append(batch.Merges, merge)
			named = append(named, merge.Delegation, merge.Holdings)
		}
		batch.CommandID = commandID("merge", named...)
		batches = append(batches, batch)
	}
	return batches, nil
}

func (d Delegator) merge() (merge Merge, err error) {
	coins := slices.Clone(d.Coins)
	slices.SortFunc(coins, func(a, b Coin) int {
		return cmp.Or(a.Amount.InitialAmount.Cmp(b.Amount.InitialAmount), cmp.Compare(a.ID, b.ID))
	})
	merge = Merge{Owner: d.Owner, Delegation: d.Delegation}
	for _, amulet := range coins[:min(len(coins), MergeInputs)] {
		merge.Holdings = append(merge.Holdings, amulet.ID)
		if merge.Amount, err = merge.Amount.Add(amulet.Amount.InitialAmount); err != nil {
			return merge, err
		}
	}
	return merge, nil
}
