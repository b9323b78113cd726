package catalog

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/packages/upload"
)

// maxTries is how often a change starts again because another process was faster.
const maxTries = 10

// Request says who changes the packages.
type Request struct {
	// By is the user, as text for people.
	By    string
	Trace ledger.TraceContext
}

// Upload adds the packages of an archive to the ledger, in one transaction. If the ledger has them all, it adds
// nothing. With vet, commands may use all of them from then on. Faults are those of [upload.Check] and of
// [db.DB.ChangePackages].
func (c *Catalog) Upload(ctx context.Context, data []byte, vet bool, request Request) error {
	return c.change(ctx, request, func(has *state) (db.PackageChange, error) {
		archive, err := c.check(ctx, data, has)
		change := db.PackageChange{Vetted: map[lf.PackageID]bool{}}
		for _, pkg := range archive.Added {
			change.Added = append(change.Added, db.NewPackage{
				ID: pkg.ID, Name: pkg.Name, Version: pkg.Release, Payload: pkg.Payload, Vetted: vet,
			})
		}
		if !vet {
			return change, err
		}
		inArchive := make(map[lf.PackageID]bool, len(archive.Packages))
		for _, p := range archive.Packages {
			inArchive[p.ID] = true
		}
		for _, stored := range has.uploaded {
			if inArchive[stored.ID] && !stored.IsVetted {
				change.Vetted[stored.ID] = true
			}
		}
		return change, err
	})
}

// Validate returns the fault that [Catalog.Upload] would return, and changes nothing.
func (c *Catalog) Validate(ctx context.Context, data []byte) error {
	if err := c.Refresh(ctx); err != nil {
		return err
	}
	_, err := c.check(ctx, data, c.current.Load())
	return err
}

// check checks an archive: one at a time in each process, which bounds memory.
func (c *Catalog) check(ctx context.Context, data []byte, has *state) (upload.Upload, error) {
	if err := c.turn.take(ctx); err != nil {
		return upload.Upload{}, fmt.Errorf("check an archive: %w", err)
	}
	defer c.turn.give()
	return upload.Check(ctx, data, upload.Ledger{
		BuiltIn: c.options.BuiltIn, Uploaded: has.trees, Bytes: has.bytes,
	}, c.options.Limits)
}

// Vetting is a change of which packages commands may use.
type Vetting struct {
	Request

	// Decide says which packages commands may use, from the current packages.
	Decide func(List) (map[lf.PackageID]bool, error)
	// DryRun changes nothing.
	DryRun bool
}

// Vet changes which packages commands may use, in one transaction, and returns the packages before and after. The
// dependencies of a vetted package may be unvetted: commands that need them are refused. Faults: those of Decide.
func (c *Catalog) Vet(ctx context.Context, vetting Vetting) (past, present List, err error) {
	err = c.change(ctx, vetting.Request, func(has *state) (db.PackageChange, error) {
		vetted, err := vetting.Decide(c.list(has))
		if err != nil {
			return db.PackageChange{}, err
		}
		after := *has
		after.uploaded = slices.Clone(has.uploaded)
		changed := map[lf.PackageID]bool{}
		for i, stored := range has.uploaded {
			if to, named := vetted[stored.ID]; named && to != stored.IsVetted {
				after.uploaded[i].IsVetted, changed[stored.ID] = to, to
			}
		}
		if len(changed) > 0 {
			after.serial++
		}
		past, present = c.list(has), c.list(&after)
		if vetting.DryRun {
			return db.PackageChange{}, nil
		}
		return db.PackageChange{Vetted: changed}, nil
	})
	return past, present, err
}

// change computes a change from the current packages and writes it, and starts again if another process was faster.
func (c *Catalog) change(
	ctx context.Context, request Request, of func(*state) (db.PackageChange, error),
) error {
	for range maxTries {
		if err := c.Refresh(ctx); err != nil {
			return err
		}
		has := c.current.Load()
		change, err := of(has)
		if err != nil || len(change.Added)+len(change.Vetted) == 0 {
			return err
		}
		change.Since, change.By, change.Now = has.offset, request.By, c.options.Now()
		change.Entry = func(at ledger.Position, vettings []ledger.Vetting) ledger.Update {
			return ledger.NewVettings(c.options.Node, vettings, at, request.Trace)
		}
		if _, err = c.options.Record.ChangePackages(ctx, change); err == nil {
			return c.Refresh(ctx)
		}
		if !errors.Is(err, db.ErrPackagesChanged) {
			return err
		}
	}
	return fmt.Errorf("%w, %d times", db.ErrPackagesChanged, maxTries)
}
