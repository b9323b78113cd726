package activities

import (
	"maps"
	"slices"
	"time"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/wallet/provided"
)

// provide works out what the operator has paid for after a decision; nil where the decision changes nothing of that.
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

// bookOf is what the operator has paid for before the next decision, with some receivers.
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
		book.Count = stored.Count // later on the block has counted by itself
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
