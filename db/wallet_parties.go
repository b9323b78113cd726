package db

import (
	"context"

	"github.com/florinledger/florin/db/dbgen"
	"github.com/florinledger/florin/ledger"
)

// WalletParty finds the party that a user's wallet has or had; false for users that never had one.
func (r Reader) WalletParty(ctx context.Context, userID string) (ledger.Party, bool, error) {
	party, err := r.queries.GetWalletParty(ctx, userID)
	if isNoRows(err) {
		return "", false, nil
	}
	return party, err == nil, failed("reading the party of a wallet", err)
}

// HostWalletParty allocates a party as [DB.HostParty] does, for the wallet of a user: both are stored, or neither.
func (d *DB) HostWalletParty(ctx context.Context, hosting Hosting, userID string) error {
	_, err := d.allocate(ctx, hosting.Details, hosting.Grant, func(tx *Tx, store func() error) error {
		return tx.enterHosting(ctx, hosting, func() error {
			if err := store(); err != nil {
				return err
			}
			return tx.setWalletParty(ctx, userID, hosting.Details.Party)
		})
	})
	return err
}

// SetWalletParty notes which party the wallet of a user has.
func (d *DB) SetWalletParty(ctx context.Context, userID string, party ledger.Party) error {
	return d.InTx(ctx, func(tx *Tx) error { return tx.setWalletParty(ctx, userID, party) })
}

func (t *Tx) setWalletParty(ctx context.Context, userID string, party ledger.Party) error {
	return failed("noting the party of a wallet", t.queries.SetWalletParty(ctx, dbgen.SetWalletPartyParams{
		UserID: userID, Party: party,
	}))
}
