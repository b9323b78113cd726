// Package catalog knows the packages of the ledger: the built-in ones, and those that administrators uploaded. Each
// process has one [Catalog], which returns snapshots. Readers get the current one ([Catalog.For]). A commit uses the
// known one and compares the offset of its last change with the head that the commit locks: so every process decides by
// the same packages, and no commit reads packages while others wait for the head lock.
package catalog

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/florinledger/florin/daml/archive"
	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/internal/coalesce"
	"github.com/florinledger/florin/internal/wait"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/packages/deployed"
	"github.com/florinledger/florin/packages/upload"
)

const retryAfter = time.Second

// Options are the parts of a [Catalog]. All are required but Limits and Log.
type Options struct {
	Node ledger.Node
	// BuiltIn are the packages that every node has.
	BuiltIn *ledger.Packages
	Record  *db.DB
	// Now is the node's clock.
	Now func() time.Time
	// Limits bound uploads; the zero value is for the default ones.
	Limits upload.Limits
	Log    *slog.Logger
}

// Catalog is the packages of a ledger. It is safe for concurrent use.
type Catalog struct {
	options Options
	// turn is the lock of the one upload that this process checks.
	turn turn

	current atomic.Pointer[state]
	// wake wakes [Catalog.Follow].
	wake chan struct{}
	// loading is the lock of the one load. A waiter must hold no connection of the pool, because the load may need it.
	loading turn
	// latest asks the database for the last change.
	latest *coalesce.Query[ledger.Offset]
}

// state is the packages at an offset. It does not change.
type state struct {
	offset   ledger.Offset
	serial   int32
	packages *ledger.Packages
	uploaded []ledger.UploadedPackage
	trees    ast.Packages
	bytes    int64
}

// New reads the packages of the ledger. It fails if a built-in package of this program has the name of an uploaded
// package that has active contracts.
func New(ctx context.Context, options Options) (*Catalog, error) {
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	if options.Limits == (upload.Limits{}) {
		options.Limits = upload.DefaultLimits()
	}
	c := &Catalog{options: options, turn: newTurn(), loading: newTurn(), wake: make(chan struct{}, 1)}
	c.latest = coalesce.New(options.Record.PackagesOffset)
	c.current.Store(&state{packages: options.BuiltIn, serial: 1, trees: ast.Packages{}})
	if err := c.Refresh(ctx); err != nil {
		return nil, err
	}
	return c, c.checkNames(ctx)
}

// Changed tells [Catalog.Follow] that the packages may have changed. A [db.Watcher] calls it.
func (c *Catalog) Changed() {
	select {
	case c.wake <- struct{}{}:
	default: // a signal waits already
	}
}

// Follow reads the packages after each change until ctx ends, so that requests seldom wait for it.
func (c *Catalog) Follow(ctx context.Context) {
	trouble := wait.Trouble{Log: c.options.Log, What: "the node cannot read the uploaded packages, and will try again"}
	for {
		select {
		case <-c.wake:
		case <-ctx.Done():
			return
		}
		for {
			err := c.Refresh(ctx)
			if ctx.Err() != nil {
				return
			}
			trouble.Note(ctx, err)
			if err == nil {
				break
			}
			if wait.For(ctx, retryAfter) != nil {
				return
			}
		}
	}
}

// For returns the packages for a read. They include every change that any node reported to a client before the call.
func (c *Catalog) For(ctx context.Context) (*ledger.Packages, error) {
	err := c.Refresh(ctx)
	return c.current.Load().packages, err
}

// Snapshot is the packages that this process has read, for a caller that called [Catalog.For] before: it is as new as
// that, or newer. It does not call the database.
func (c *Catalog) Snapshot() *ledger.Packages { return c.current.Load().packages }

// Known is the packages that this process has read, and the offset of their last change; 0 before the first. If the
// head that a commit locks has another offset, the commit must release the lock, call [Catalog.Refresh] and start
// again.
func (c *Catalog) Known() (*ledger.Packages, ledger.Offset) {
	known := c.current.Load()
	return known.packages, known.offset
}

// Refresh reads the packages again if they changed. The caller must hold no database connection: Refresh may need one.
func (c *Catalog) Refresh(ctx context.Context) error {
	offset, err := c.latest.Ask(ctx)
	if err != nil || offset == c.current.Load().offset {
		return err
	}
	return c.load(ctx)
}

// load reads the packages, one at a time in each process.
func (c *Catalog) load(ctx context.Context) error {
	if err := c.loading.take(ctx); err != nil {
		return fmt.Errorf("read the uploaded packages: %w", err)
	}
	defer c.loading.give()
	return c.catchUp(ctx, c.options.Record.Reader)
}

// turn is a lock that ends with a context.
type turn chan struct{}

func newTurn() turn { return make(turn, 1) }

func (t turn) take(ctx context.Context) error {
	select {
	case t <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (t turn) give() { <-t }

// catchUp reads what was uploaded and vetted since the current state.
func (c *Catalog) catchUp(ctx context.Context, reader db.Reader) error {
	before := c.current.Load()
	offset, err := reader.PackagesOffset(ctx) // first, so that a change in between is read once more
	if err != nil || offset == before.offset {
		return err
	}
	if err := reader.CheckPackagesNeed(ctx); err != nil {
		return err
	}
	after := &state{offset: offset, trees: make(ast.Packages, len(before.trees))}
	if after.serial, err = reader.PackagesSerial(ctx); err != nil {
		return err
	}
	if after.uploaded, err = reader.UploadedPackages(ctx); err != nil {
		return err
	}
	packages := make([]deployed.Package, 0, len(after.uploaded))
	for _, stored := range after.uploaded {
		after.bytes += stored.Bytes
		tree := before.trees[stored.ID]
		if tree == nil {
			if tree, err = read(ctx, reader, stored.ID); err != nil {
				return err
			}
		}
		after.trees[stored.ID] = tree
		packages = append(packages, deployed.Package{Package: tree, Unvetted: !stored.IsVetted})
	}
	if after.packages, err = deployed.Extend(c.options.BuiltIn, packages); err != nil {
		return fmt.Errorf("the uploaded packages up to offset %d: %w", offset, err)
	}
	c.current.Store(after)
	return nil
}

// read reads a package that was checked when it was uploaded.
func read(ctx context.Context, reader db.Reader, id lf.PackageID) (*ast.Package, error) {
	payload, known, err := reader.PackagePayload(ctx, id)
	if err != nil {
		return nil, err
	}
	if !known {
		return nil, fmt.Errorf("package %s is missing: somebody deleted it from the database", id)
	}
	tree, err := archive.ReadPayload(payload, archive.Options{})
	switch {
	case err != nil:
		return nil, fmt.Errorf("package %s: %w", id, err)
	case tree.ID != id:
		return nil, fmt.Errorf("the content of package %s has the id %s: somebody changed the database", id, tree.ID)
	default:
		return tree, nil
	}
}
