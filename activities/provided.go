package activities

import (
	"maps"
	"slices"
	"time"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/wallet/provided"
)

// provide computes the preapprovals that the operator has paid for after a decision; nil if the decision changes none.
// The error is a refusal to pay for a preapproval, a defect, or a failure of the database, which the view remembers.
func (b *block) provide(decision ledger.Decision) (*provided.Book, error) {
	contracts := slices.Concat(created(decision), b.archived(decision))
	changes, err := provided.Changes(b.activities.Packages, b.activities.Node.Operator, decision.Network, contracts)
	if err != nil || len(changes) == 0 {
		return nil, err
	}
	book, err := b.bookOf(provided.Receivers(changes))
	if err != nil {
		return nil, err
	}
	rule := provided.Rule{
		Operator: b.activities.Node.Operator, Max: b.settings.MaxProvidedParties, Now: b.head.RecordTime,
	}
	after, refusal := rule.Apply(book, changes)
	if refusal != nil {
		return nil, refusal
	}
	return &after, nil
}

// bookOf returns the preapprovals that the operator has paid for before the next decision, with those of the receivers.
func (b *block) bookOf(receivers []ledger.Party) (provided.Book, error) {
	var book provided.Book
	if b.provided != nil {
		book = *b.provided
	}
	missing := slices.DeleteFunc(slices.Clone(receivers), func(receiver ledger.Party) bool {
		_, known := book.Until[receiver]
		return known
	})
	if len(missing) == 0 {
		return book, nil
	}
	stored, err := b.view.tx.ProvidedPreapprovals(b.view.ctx, b.head.RecordTime, missing...)
	if err != nil {
		b.view.failed = err
		return provided.Book{}, err
	}
	if b.provided == nil {
		book.Count = stored.Count // from then on the block counts by itself
	}
	book.Until = maps.Clone(book.Until)
	if book.Until == nil {
		book.Until = map[ledger.Party]time.Time{}
	}
	for _, receiver := range missing {
		book.Until[receiver] = stored.Until[receiver]
	}
	return book, nil
}
