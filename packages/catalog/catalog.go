// Package catalog knows which packages the ledger has: those that are built in, and those that administrators uploaded.
// Each process has one [Catalog]. It gives snapshots. Readers have that of now ([Catalog.For]). A commit has what is
// known with the offset of the last change, which must be that of the head that it locks: so every process decides by
// the same packages, and nobody reads any while others wait for the head.
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
	// turn is held by the one upload that is checked in this process.
	turn turn

	current atomic.Pointer[state]
	// heard wakes who follows.
	heard chan struct{}
	// loading is held by who loads. Who waits for it holds no connection of the pool, which the other may need.
	loading turn
	// latest asks the database for the last change.
	latest question
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

// New reads the packages of the ledger. It fails where this program has packages built in whose names are those of
// packages that contracts are of.
func New(ctx context.Context, options Options) (*Catalog, error) {
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	if options.Limits == (upload.Limits{}) {
		options.Limits = upload.DefaultLimits()
	}
	c := &Catalog{options: options, turn: newTurn(), loading: newTurn(), heard: make(chan struct{}, 1)}
	c.latest = newQuestion(options.Record.PackagesOffset)
	c.current.Store(&state{packages: options.BuiltIn, serial: 1, trees: ast.Packages{}})
	if err := c.Refresh(ctx); err != nil {
		return nil, err
	}
	return c, c.checkNames(ctx)
}

// Changed notes that the ledger may have other packages, which [Catalog.Follow] reads. It is what a [db.Watcher] calls.
func (c *Catalog) Changed() {
	select {
	case c.heard <- struct{}{}:
	default: // who follows has not looked yet
	}
}

// Follow reads the packages whenever they have changed, until ctx ends, so that hardly anybody waits for it.
func (c *Catalog) Follow(ctx context.Context) {
	trouble := wait.Trouble{Log: c.options.Log, What: "the uploaded packages cannot be read, and will be again"}
	for {
		select {
		case <-c.heard:
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

// For gives the packages that the ledger has now to who reads by them: it decides for all readers how new they are, at
// least what anybody was told before the call that the ledger has, by whichever node.
func (c *Catalog) For(ctx context.Context) (*ledger.Packages, error) {
	err := c.Refresh(ctx)
	return c.current.Load().packages, err
}

// Snapshot is the packages that this process has read, for who goes on with what it asked [Catalog.For]: it is as new
// as that, or newer. It asks nobody.
func (c *Catalog) Snapshot() *ledger.Packages { return c.current.Load().packages }

// Known is what this process knows without asking, and at which offset it changed last; 0 before the first change. A
// commit that locks a head with another one is to call [Catalog.Refresh] when it has let go of it, and begin again.
func (c *Catalog) Known() (*ledger.Packages, ledger.Offset) {
	known := c.current.Load()
	return known.packages, known.offset
}

// Refresh reads the packages again if there were changes. Nobody may call it who has a connection of the database: it
// may need another one.
func (c *Catalog) Refresh(ctx context.Context) error {
	offset, err := c.latest.ask(ctx)
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

// turn is had by one at a time.
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
	offset, err := reader.PackagesOffset(ctx) // first: what comes meanwhile is read once more
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
		return fmt.Errorf("the packages that were uploaded up to offset %d: %w", offset, err)
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
