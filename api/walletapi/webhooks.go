package walletapi

import (
	"context"
	"time"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/wallet/history"
)

// HistoryRecord finds contracts of the network.
type HistoryRecord interface {
	NetworkContract(ctx context.Context, id ledger.ContractID) (db.StoredContract, bool, error)
}

// Renderer shows the history of wallets outside of a request, as the list of transactions shows it.
type Renderer struct {
	record HistoryRecord
	now    func() time.Time
}

// NewRenderer makes a renderer. now is the ledger's clock.
func NewRenderer(record HistoryRecord, now func() time.Time) Renderer { return Renderer{record, now} }

// Wallet lists the entries of a transaction in the history of a party's wallet.
func (r Renderer) Wallet(ctx context.Context, party ledger.Party, update ledger.NetworkUpdate) ([]any, error) {
	reader := history.Reader{
		Party: party, Now: r.now().UTC(), Contract: func(id ledger.ContractID) (ledger.Contract, bool, error) {
			stored, found, err := r.record.NetworkContract(ctx, id)
			return stored.Contract, found, err
		},
	}
	items, err := reader.Items(update)
	shown := make([]any, len(items))
	for i, item := range items {
		shown[i] = toAPIItem(item)
	}
	return shown, err
}
