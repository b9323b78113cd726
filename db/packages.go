package db

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/florinledger/florin/db/dbgen"
	"github.com/florinledger/florin/internal/failpoint"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// packagesStep is the schema step that a program must know to use packages as this program changes them.
const packagesStep = baseline

// ErrPackagesChanged refuses a change of packages because another change was committed since it was prepared.
var ErrPackagesChanged = errors.New("the packages were changed meanwhile")

// NewPackage is a package that an upload adds.
type NewPackage struct {
	ID            lf.PackageID
	Name, Version string
	// Payload is the package in Daml-LF; the id is its hash.
	Payload []byte
	// Vetted: commands may use it.
	Vetted bool
}

// PackageChange is an upload, or a change of vetted packages.
type PackageChange struct {
	// Since is the offset of the last change that this one knows of.
	Since ledger.Offset
	Added []NewPackage
	// Vetted says for uploaded packages whether commands may use them from now on.
	Vetted map[lf.PackageID]bool
	// By is the user who asked for it, for people who read the changes.
	By string
	// Now is the node's time.
	Now time.Time
	// Entry makes the topology transaction for its position in the record.
	Entry func(at ledger.Position, vettings []ledger.Vetting) ledger.Update
}

// ChangePackages adds and vets packages at its own offset, which it returns. All later commits use the change. It fails
// with [ErrPackagesChanged] if somebody was faster.
func (d *DB) ChangePackages(ctx context.Context, change PackageChange) (at ledger.Offset, err error) {
	err = d.InTx(ctx, func(tx *Tx) error {
		if err := tx.insertPayloads(ctx, change.Added); err != nil { // before the lock, so that nobody waits for it
			return err
		}
		head, err := tx.LockHead(ctx)
		if err != nil {
			return err
		}
		last, err := tx.PackagesOffset(ctx)
		if err != nil {
			return err
		}
		if last != change.Since {
			return ErrPackagesChanged
		}
		head = head.Next(change.Now)
		at = head.Offset
		vettings, err := tx.vetPackages(ctx, change, at)
		if err != nil {
			return err
		}
		if err := tx.queries.InsertPackageChange(ctx, dbgen.InsertPackageChangeParams{
			LedgerOffset: at, ChangedAt: head.RecordTime, ChangedBy: change.By, NeededStep: packagesStep,
		}); err != nil {
			return failed("noting a change of packages", err)
		}
		update := change.Entry(ledger.Position{Offset: at, RecordTime: head.RecordTime}, vettings)
		err = tx.Append(ctx, Entries{Updates: []ledger.Update{update}, Head: head})
		failpoint.Hit(failpoint.AfterUpload)
		return err
	})
	if err == nil {
		failpoint.Hit(failpoint.AfterPackagesCommit)
		d.packagesChanged()
	}
	return at, err
}

// packagesChanged tells the watchers of this process before the caller gets the answer.
func (d *DB) packagesChanged() {
	for _, watcher := range d.allWatchers() {
		watcher.packagesChanged()
	}
}

// CheckPackagesNeed fails if this program is too old for the packages: the program that changed them noted which schema
// step they need.
func (r Reader) CheckPackagesNeed(ctx context.Context) error {
	needed, err := r.queries.GetPackagesNeed(ctx)
	if err != nil {
		return failed("reading the packages", err)
	}
	newest, err := newestStep()
	if err != nil {
		return err
	}
	if needed > newest {
		return fmt.Errorf("the packages of the ledger need a program that knows step %d of the schema, and this one knows "+
			"%d: run a newer florin", needed, newest)
	}
	return nil
}

func (t *Tx) insertPayloads(ctx context.Context, packages []NewPackage) error {
	for _, added := range packages {
		err := t.queries.InsertPackagePayload(ctx, dbgen.InsertPackagePayloadParams{
			PackageID: string(added.ID), Payload: added.Payload,
		})
		if err != nil {
			return failed("storing a package", err)
		}
	}
	return nil
}

// vetPackages stores a change with its offset, and returns the change of each package.
func (t *Tx) vetPackages(
	ctx context.Context, change PackageChange, at ledger.Offset,
) (vettings []ledger.Vetting, err error) {
	for _, added := range change.Added {
		err := t.queries.InsertPackage(ctx, dbgen.InsertPackageParams{
			PackageID: string(added.ID), Name: added.Name, Version: added.Version, IsVetted: added.Vetted,
			UploadedOffset: int64(at), ByteCount: int64(len(added.Payload)),
		})
		if err != nil {
			return nil, failed("storing a package", err)
		}
		vettings = append(vettings, ledger.Vetting{
			PackageID: added.ID, Uploaded: true, Name: added.Name, Version: added.Version, Vetted: added.Vetted,
		})
	}
	if len(change.Vetted) == 0 {
		return vettings, nil
	}
	rows, err := t.queries.ListPackages(ctx)
	if err != nil {
		return nil, failed("reading the packages", err)
	}
	for _, row := range rows {
		vetted, changes := change.Vetted[lf.PackageID(row.PackageID)]
		if !changes || vetted == row.IsVetted {
			continue
		}
		if _, err := t.queries.VetPackage(ctx, dbgen.VetPackageParams{
			PackageID: row.PackageID, IsVetted: vetted, ChangedOffset: int64(at),
		}); err != nil {
			return nil, failed("vetting a package", err)
		}
		vettings = append(vettings, ledger.Vetting{PackageID: lf.PackageID(row.PackageID), Vetted: vetted})
	}
	return vettings, nil
}

// PackagesOffset is the offset of the last upload or vetting; 0 before the first.
func (r Reader) PackagesOffset(ctx context.Context) (ledger.Offset, error) {
	last, err := r.queries.GetPackagesOffset(ctx)
	return ledger.Offset(last), failed("reading the packages", err)
}

// PackagesSerial is one more than the number of uploads and vettings.
func (r Reader) PackagesSerial(ctx context.Context) (int32, error) {
	serial, err := r.queries.GetPackagesSerial(ctx)
	return serial, failed("reading the packages", err)
}

// UploadedPackages lists the packages that were uploaded, in the order of their uploads.
func (r Reader) UploadedPackages(ctx context.Context) ([]ledger.UploadedPackage, error) {
	rows, err := r.queries.ListPackages(ctx)
	packages := make([]ledger.UploadedPackage, len(rows))
	for i, row := range rows {
		packages[i] = fromDBPackage(row)
	}
	return packages, failed("reading the packages", err)
}

// PackagePayload reads the Daml-LF of a package; false if it was not uploaded.
func (r Reader) PackagePayload(ctx context.Context, id lf.PackageID) ([]byte, bool, error) {
	payload, err := r.queries.GetPackagePayload(ctx, string(id))
	if isNoRows(err) {
		return nil, false, nil
	}
	return payload, err == nil, failed("reading a package", err)
}

// HasContractsOf reports whether the templates of a package have active contracts.
func (r Reader) HasContractsOf(ctx context.Context, id lf.PackageID) (bool, error) {
	has, err := r.queries.HasContractsOf(ctx, dbgen.HasContractsOfParams{
		First: string(id) + ":", Beyond: string(id) + ";", // what follows ":"
	})
	return has, failed("looking for contracts of a package", err)
}

// ForgedPackages finds packages whose Daml-LF is missing or does not have the hash that is their id: somebody changed
// them.
func (r Reader) ForgedPackages(ctx context.Context) ([]lf.PackageID, error) {
	ids, err := r.queries.ListForgedPackages(ctx)
	return ledger.FromStrings[lf.PackageID](ids), failed("comparing packages with their ids", err)
}

// UnlistedPayloads finds stored Daml-LF of packages that nobody uploaded.
func (r Reader) UnlistedPayloads(ctx context.Context) ([]lf.PackageID, error) {
	ids, err := r.queries.ListUnlistedPayloads(ctx)
	return ledger.FromStrings[lf.PackageID](ids), failed("looking for packages that nobody uploaded", err)
}

// ChangedPackage is a package with its last change.
type ChangedPackage struct {
	ledger.UploadedPackage

	// Changed is the offset of its last upload, vetting or unvetting.
	Changed ledger.Offset
}

// ChangedPackages lists the packages for a comparison with the updates.
func (r Reader) ChangedPackages(ctx context.Context) ([]ChangedPackage, error) {
	rows, err := r.queries.ListPackages(ctx)
	packages := make([]ChangedPackage, len(rows))
	for i, row := range rows {
		packages[i] = ChangedPackage{UploadedPackage: fromDBPackage(row), Changed: ledger.Offset(row.ChangedOffset)}
	}
	return packages, failed("reading the packages", err)
}

func fromDBPackage(row dbgen.ListPackagesRow) ledger.UploadedPackage {
	out := ledger.UploadedPackage{
		ID: lf.PackageID(row.PackageID), Name: row.Name, Version: row.Version, IsVetted: row.IsVetted,
		Offset: ledger.Offset(row.UploadedOffset), Bytes: row.ByteCount,
	}
	if row.ChangedAt != nil {
		out.UploadedAt = row.ChangedAt.UTC()
	}
	return out
}
