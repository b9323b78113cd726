package audit

import (
	"context"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// findUploads reports packages that updates uploaded and that are not there any more, or elsewhere.
func (a *Auditor) findUploads(ctx context.Context, state *State, updates []ledger.Update) error {
	uploads := map[lf.PackageID]ledger.Offset{}
	for _, update := range updates {
		for _, vetting := range update.Vetting {
			if vetting.Uploaded {
				uploads[vetting.PackageID] = update.Offset
			}
		}
	}
	if len(uploads) == 0 {
		return nil
	}
	packages, err := a.record.UploadedPackages(ctx)
	if err != nil {
		return err
	}
	for _, stored := range packages {
		if uploads[stored.ID] == stored.Offset {
			delete(uploads, stored.ID)
		}
	}
	for id, offset := range uploads {
		state.report(sealed(offset, "package %s was uploaded here, and is not there: it was deleted or moved", id))
	}
	return nil
}

// examinePackages checks that each uploaded package has its seal and is what its id says, also those whose uploads were
// pruned.
func (a *Auditor) examinePackages(ctx context.Context, state *State) error {
	packages, err := a.record.SealedPackages(ctx)
	if err != nil || len(packages) == 0 {
		return err
	}
	seals, err := a.record.SealHistory(ctx)
	if err != nil {
		return err
	}
	counted := *state
	byID := make(map[lf.PackageID]db.SealedPackage, len(packages))
	for _, stored := range packages {
		byID[stored.ID] = stored
		entries{seals: seals}.check(state, stored.Changed, "package "+string(stored.ID), stored.SealedRow)
	}
	state.Sealed, state.Unsealed = counted.Sealed, counted.Unsealed // of updates and completions
	forged, err := a.record.ForgedPackages(ctx)
	for _, id := range forged {
		state.report(sealed(byID[id].Changed, "package %s is not what its id says: it was changed", id))
	}
	return err
}
