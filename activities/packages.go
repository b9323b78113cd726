package activities

import (
	"context"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
)

// packagesAt are the packages that the ledger has under the lock of its head, where they were changed last at an
// offset.
func (a *Activities) packagesAt(ctx context.Context, tx *db.Tx, offset ledger.Offset) (*ledger.Packages, error) {
	if a.Catalog == nil {
		return a.Packages, nil
	}
	return a.Catalog.At(ctx, tx.Reader, offset)
}

// packagesNow are those that the ledger has now, at least those that whoever submitted knew of.
func (a *Activities) packagesNow(ctx context.Context) (*ledger.Packages, error) {
	if a.Catalog == nil {
		return a.Packages, nil
	}
	if err := a.Catalog.Refresh(ctx); err != nil {
		return nil, err
	}
	return a.Catalog.Snapshot(), nil
}
