package audit

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// uploadedPackage is what updates say of a package that was uploaded.
type uploadedPackage struct {
	// Uploaded is where it was uploaded; 0 where that was pruned before anything was audited.
	Uploaded ledger.Offset `json:"uploaded"`
	// Name and Version are those that it was uploaded with.
	Name    string `json:"name"`
	Version string `json:"version"`
	// Changed is where it was uploaded, vetted or unvetted last.
	Changed  ledger.Offset `json:"changed"`
	IsVetted bool          `json:"vetted"`
}

func (u uploadedPackage) String() string {
	if u.IsVetted {
		return fmt.Sprintf("vetted at offset %d", u.Changed)
	}
	return fmt.Sprintf("not vetted at offset %d", u.Changed)
}

func toUploaded(row db.ChangedPackage) uploadedPackage {
	return uploadedPackage{
		Uploaded: row.Offset, Name: row.Name, Version: row.Version, Changed: row.Changed, IsVetted: row.IsVetted,
	}
}

// openPackages takes the packages as they are that were changed last before the record begins.
func (a *Auditor) openPackages(ctx context.Context, state *State) error {
	rows, err := a.record.ChangedPackages(ctx)
	if err != nil {
		return err
	}
	state.Packages = map[lf.PackageID]uploadedPackage{}
	for _, row := range rows {
		if row.Changed <= state.Start {
			state.Packages[row.ID] = toUploaded(row)
		}
	}
	return nil
}

func (s *State) follow(update ledger.Update) {
	if len(update.Vetting) == 0 {
		return
	}
	packages := maps.Clone(s.Packages) // earlier states stay as they are
	if packages == nil {
		packages = map[lf.PackageID]uploadedPackage{}
	}
	for _, vetting := range update.Vetting {
		known, was := packages[vetting.PackageID]
		switch {
		case vetting.Uploaded && was:
			s.report(chained(update.Offset, "package %s was uploaded here, and at offset %d before", vetting.PackageID,
				known.Uploaded))
		case vetting.Uploaded:
			known.Uploaded, known.Name, known.Version = update.Offset, vetting.Name, vetting.Version
		case !was && s.Start == 0:
			s.report(chained(update.Offset, "package %s, which nobody uploaded, was vetted or unvetted here",
				vetting.PackageID))
		}
		known.Changed, known.IsVetted = update.Offset, vetting.Vetted
		packages[vetting.PackageID] = known
	}
	s.Packages = packages
}

// examinePackages checks that the packages are those that updates uploaded, vetted as these say, and with the content that
// their ids say, also those whose uploads were pruned.
func (a *Auditor) examinePackages(ctx context.Context, state *State) error {
	rows, err := a.record.ChangedPackages(ctx)
	if err != nil {
		return err
	}
	head, err := a.record.Head(ctx) // after the rows: those that were added meanwhile are not beyond it
	if err != nil {
		return err
	}
	missing := maps.Clone(state.Packages)
	for _, row := range rows {
		delete(missing, row.ID)
		comparePackage(state, row, head.Offset)
	}
	for _, id := range slices.Sorted(maps.Keys(missing)) {
		state.report(chained(missing[id].Changed, "package %s was %s, and is not there: it was deleted", id, missing[id]))
	}
	return a.examinePayloads(ctx, state, rows)
}

// comparePackage compares a package with what updates say up to the offset of the state.
func comparePackage(state *State, row db.ChangedPackage, end ledger.Offset) {
	is := toUploaded(row)
	should, known := state.Packages[row.ID]
	switch {
	case is.Uploaded <= 0 || is.Changed < is.Uploaded || is.Changed > end:
		state.report(chained(is.Changed, "package %s has no place in the record: no node uploaded it", row.ID))
	case is.Changed > state.Offset: // later updates say what became of it
	case !known:
		state.report(chained(is.Changed, "package %s is there, and no update uploaded it", row.ID))
	case should.Changed != is.Changed || should.IsVetted != is.IsVetted:
		state.report(chained(should.Changed, "package %s is there as %s, and should be as %s: an earlier row was put back, "+
			"or the row was changed", row.ID, is, should))
	case should.Uploaded > 0 && (should.Name != is.Name || should.Version != is.Version):
		state.report(chained(should.Uploaded, "package %s was uploaded here as %s %s, and is there as %s %s: the row was changed",
			row.ID, should.Name, should.Version, is.Name, is.Version))
	case should.Uploaded > 0 && should.Uploaded != is.Uploaded:
		state.report(chained(should.Uploaded, "package %s was uploaded here, and is there as of offset %d", row.ID,
			is.Uploaded))
	}
}

// examinePayloads checks that each package is there in Daml-LF as its id says, and nothing else.
func (a *Auditor) examinePayloads(ctx context.Context, state *State, rows []db.ChangedPackage) error {
	forged, err := a.record.ForgedPackages(ctx)
	if err != nil {
		return err
	}
	for _, id := range forged {
		offset := state.Offset
		if at := slices.IndexFunc(rows, func(row db.ChangedPackage) bool { return row.ID == id }); at >= 0 {
			offset = rows[at].Changed
		}
		state.report(chained(offset, "package %s is not what its id says: it was changed or deleted", id))
	}
	unlisted, err := a.record.UnlistedPayloads(ctx)
	for _, id := range unlisted {
		state.report(chained(state.Offset, "package %s is stored, and no node uploaded it", id))
	}
	return err
}
