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

// uploadedPackage is a package as the updates describe it.
type uploadedPackage struct {
	// Uploaded is the offset of the upload; 0 if a prune deleted it before the first audit.
	Uploaded ledger.Offset `json:"uploaded"`
	Name     string        `json:"name"`
	Version  string        `json:"version"`
	// Changed is the offset of the last upload, vetting or unvetting.
	Changed  ledger.Offset `json:"changed"`
	IsVetted bool          `json:"vetted"`
}

func (u uploadedPackage) String() string {
	if u.IsVetted {
		return fmt.Sprintf("vetted since offset %d", u.Changed)
	}
	return fmt.Sprintf("not vetted since offset %d", u.Changed)
}

func toUploaded(row db.ChangedPackage) uploadedPackage {
	return uploadedPackage{
		Uploaded: row.Offset, Name: row.Name, Version: row.Version, Changed: row.Changed, IsVetted: row.IsVetted,
	}
}

// openPackages takes from the table the packages whose last change is before the record begins.
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
	packages := maps.Clone(s.Packages) // earlier states share the map
	if packages == nil {
		packages = map[lf.PackageID]uploadedPackage{}
	}
	for _, vetting := range update.Vetting {
		known, was := packages[vetting.PackageID]
		switch {
		case vetting.Uploaded && was:
			s.report(chainFinding(update.Offset, "the update uploads package %s again; the first upload was at offset %d",
				vetting.PackageID, known.Uploaded))
		case vetting.Uploaded:
			known.Uploaded, known.Name, known.Version = update.Offset, vetting.Name, vetting.Version
		case !was && s.Start == 0:
			s.report(chainFinding(update.Offset, "the update vets or unvets package %s, but nobody uploaded it",
				vetting.PackageID))
		}
		known.Changed, known.IsVetted = update.Offset, vetting.Vetted
		packages[vetting.PackageID] = known
	}
	s.Packages = packages
}

// examinePackages compares the packages with the updates that uploaded and vetted them, pruned ones included, and their
// content with their ids.
func (a *Auditor) examinePackages(ctx context.Context, state *State) error {
	rows, err := a.record.ChangedPackages(ctx)
	if err != nil {
		return err
	}
	head, err := a.record.Head(ctx) // read after the rows, so that no row is beyond it
	if err != nil {
		return err
	}
	missing := maps.Clone(state.Packages)
	for _, row := range rows {
		delete(missing, row.ID)
		comparePackage(state, row, head.Offset)
	}
	for _, id := range slices.Sorted(maps.Keys(missing)) {
		state.report(chainFinding(missing[id].Changed, "package %s (%s) is missing: somebody deleted it", id, missing[id]))
	}
	return a.examinePayloads(ctx, state, rows)
}

// comparePackage compares a package with the updates up to the offset of the state.
func comparePackage(state *State, row db.ChangedPackage, end ledger.Offset) {
	is := toUploaded(row)
	should, known := state.Packages[row.ID]
	switch {
	case is.Uploaded <= 0 || is.Changed < is.Uploaded || is.Changed > end:
		state.report(chainFinding(is.Changed, "package %s has wrong offsets (uploaded at %d, changed at %d): no node "+
			"uploaded it", row.ID, is.Uploaded, is.Changed))
	case is.Changed > state.Offset: // updates after the state changed it
	case !known:
		state.report(chainFinding(is.Changed, "package %s is in table packages, but no update uploads it", row.ID))
	case should.Changed != is.Changed || should.IsVetted != is.IsVetted:
		state.report(chainFinding(should.Changed, "table packages says that package %s is %s, but it is %s: somebody put "+
			"an earlier row back, or changed the row", row.ID, is, should))
	case should.Uploaded > 0 && (should.Name != is.Name || should.Version != is.Version):
		state.report(chainFinding(should.Uploaded, "the update uploads package %s as %s %s, but table packages says %s %s: "+
			"somebody changed the row",
			row.ID, should.Name, should.Version, is.Name, is.Version))
	case should.Uploaded > 0 && should.Uploaded != is.Uploaded:
		state.report(chainFinding(should.Uploaded, "the update uploads package %s here, but table packages says offset %d",
			row.ID, is.Uploaded))
	}
}

// examinePayloads checks that each package has the content that its id hashes, and that there is no other content.
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
		state.report(chainFinding(offset, "the content of package %s does not match its id: somebody changed or "+
			"deleted it", id))
	}
	unlisted, err := a.record.UnlistedPayloads(ctx)
	for _, id := range unlisted {
		state.report(chainFinding(state.Offset, "the content of package %s is stored, but no node uploaded it", id))
	}
	return err
}
