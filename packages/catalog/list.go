package catalog

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// Package is a package of the ledger.
type Package struct {
	ID            lf.PackageID
	Name, Version string
	// OtherIDs are ids of other versions of a built-in package that stand for it.
	OtherIDs []lf.PackageID
	// IsBuiltIn reports whether every node has it.
	IsBuiltIn bool
	// IsVetted reports whether commands may use it. Built-in packages always are.
	IsVetted bool
	// Bytes is the length of its payload in Daml-LF, UploadedAt the time of its upload; zero for built-in packages.
	Bytes      int64
	UploadedAt time.Time
}

// HasID reports whether an id stands for the package.
func (p Package) HasID(id lf.PackageID) bool { return p.ID == id || slices.Contains(p.OtherIDs, id) }

// List is the packages at one moment: the built-in ones, then those that were uploaded, in the order of their uploads.
type List struct {
	Packages []Package
	// Archives are the packages whose Daml-LF the ledger has: the uploaded ones.
	Archives []lf.PackageID
	// Serial counts the changes; it is 1 before the first.
	Serial int32

	snapshot *ledger.Packages
}

// List lists the packages that the ledger has now, as [Catalog.For] decides.
func (c *Catalog) List(ctx context.Context) (List, error) {
	err := c.Refresh(ctx)
	return c.list(c.current.Load()), err
}

// Count returns how many packages this process knows, and the bytes of the uploaded ones. It does not call the
// database.
func (c *Catalog) Count() (builtIn, uploaded int, bytes int64) {
	known := c.current.Load()
	return len(c.options.BuiltIn.List()), len(known.uploaded), known.bytes
}

func (c *Catalog) list(of *state) List {
	list := List{Serial: of.serial, snapshot: of.packages}
	for _, pkg := range of.packages.List() {
		if pkg.Uploaded {
			continue
		}
		list.Packages = append(list.Packages, Package{
			ID: pkg.ID, OtherIDs: pkg.OtherIDs, Name: pkg.Name, Version: pkg.Version, IsBuiltIn: true, IsVetted: true,
		})
	}
	for _, stored := range of.uploaded {
		list.Archives = append(list.Archives, stored.ID)
		if c.isBuiltIn(stored) {
			continue
		}
		list.Packages = append(list.Packages, Package{
			ID: stored.ID, Name: stored.Name, Version: stored.Version, IsVetted: stored.IsVetted,
			Bytes: stored.Bytes, UploadedAt: stored.UploadedAt,
		})
	}
	return list
}

// isBuiltIn reports whether an uploaded package stands for a built-in one: it has its name or one of its ids.
func (c *Catalog) isBuiltIn(stored ledger.UploadedPackage) bool {
	_, hasName := c.options.BuiltIn.Named(stored.Name)
	return hasName || c.options.BuiltIn.PackageName(stored.ID) != ""
}

// checkNames fails if a built-in package would replace an uploaded one of the same name that has active contracts:
// nobody could read or use them any more.
func (c *Catalog) checkNames(ctx context.Context) error {
	for _, stored := range c.current.Load().uploaded {
		ours, taken := c.options.BuiltIn.Named(stored.Name)
		if !taken || c.options.BuiltIn.PackageName(stored.ID) != "" {
			continue
		}
		hasContracts, err := c.options.Record.HasContractsOf(ctx, stored.ID)
		if err != nil {
			return err
		}
		if hasContracts {
			return fmt.Errorf("the uploaded package %s (%s %s) has active contracts, but this version of florin has "+
				"%s %s built in, which would replace it: start the version that ran before and stay on it, or "+
				"archive these contracts with it before you start this version",
				stored.ID, stored.Name, stored.Version, ours.Name, ours.Version)
		}
	}
	return nil
}

// Find finds a package by an id that stands for it.
func (l List) Find(id lf.PackageID) (Package, bool) {
	for _, pkg := range l.Packages {
		if pkg.HasID(id) {
			return pkg, true
		}
	}
	return Package{}, false
}

// Preferred finds the package that a name stands for in commands.
func (l List) Preferred(name string) (Package, bool) {
	id, known, refusal := l.snapshot.ResolvePackage(lf.PackageID("#"+name), nil)
	if refusal != nil || !known {
		return Package{}, false
	}
	return l.Find(id)
}

// Payload returns an uploaded package in Daml-LF; false for built-in and unknown ones.
func (c *Catalog) Payload(ctx context.Context, id lf.PackageID) ([]byte, bool, error) {
	return c.options.Record.PackagePayload(ctx, id)
}
