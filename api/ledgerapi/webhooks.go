package ledgerapi

import (
	"context"

	"github.com/florinledger/florin/api/auth"
	"github.com/florinledger/florin/ledger"
)

// Renderer shows entries of the record outside of a request, as the lists of completions and updates show them.
type Renderer struct{ api *API }

// NewRenderer makes a renderer.
func NewRenderer(node ledger.Node, packages Catalog) Renderer {
	return Renderer{&API{node: node, catalog: packages}}
}

// Completion shows a completion to a user. Of its acting parties it shows the one.
func (r Renderer) Completion(
	user ledger.User, rights []ledger.Right, party ledger.Party, completion ledger.Completion,
) any {
	return r.api.toAPICompletion(auth.NewClaims(user, rights), completion,
		func(actor ledger.Party) bool { return actor == party })
}

// Update shows the contracts that a transaction creates and archives to a party; false if there are none.
func (r Renderer) Update(ctx context.Context, party ledger.Party, update ledger.Update) (any, bool, error) {
	shown, visible, err := r.api.toAPIUpdate(ctx, update, &updateFormat{
		transactions: &transactionFormat{events: wildcardFor(party), shape: ShapeACSDelta},
	})
	if err != nil || !visible {
		return nil, false, err
	}
	return shown.Transaction.Value, true, nil
}
