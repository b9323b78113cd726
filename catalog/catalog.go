// Package catalog knows which packages the ledger has: those that are built in, and those that administrators uploaded.
// Each process has one [Catalog]. It gives snapshots: that of now to readers, and to a commit that of the head which it
// has locked, so that every process decides by the same packages.
package catalog

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/florinledger/florin/daml/archive"
	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/daml/deployed"
	"github.com/florinledger/florin/daml/upload"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// loadTimeout bounds how long a reader waits for packages that were uploaded.
const loadTimeout = 20 * time.Second

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
	turn chan struct{}

	current atomic.Pointer[state]
	// changes counts what this process heard of, and seen how many of these current has.
	changes, seen atomic.Int64
	// mu is held by who loads.
	mu sync.Mutex
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

// New reads the packages of the ledger.
func New(ctx context.Context, options Options) (*Catalog, error) {
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	if options.Limits == (upload.Limits{}) {
		options.Limits = upload.DefaultLimits()
	}
	c := &Catalog{options: options, turn: make(chan struct{}, 1)}
	c.current.Store(&state{packages: options.BuiltIn, serial: 1, trees: ast.Packages{}})
	return c, c.Refresh(ctx)
}

// Changed notes that the ledger may have other packages: whoever asks next waits until they are read. It is what a
// [db.Watcher] calls.
func (c *Catalog) Changed() { c.changes.Add(1) }

// Snapshot is the packages as this process knows them now. Where they cannot be read it is those that it knew before:
// commits do not go by it.
func (c *Catalog) Snapshot() *ledger.Packages { return c.state().packages }

func (c *Catalog) state() *state {
	if c.seen.Load() < c.changes.Load() {
		ctx, cancel := context.WithTimeout(context.Background(), loadTimeout)
		defer cancel()
		if err := c.Refresh(ctx); err != nil {
			c.options.Log.ErrorContext(ctx, "the uploaded packages cannot be read", "error", err)
		}
	}
	return c.current.Load()
}

// Refresh reads the packages again if there were changes.
func (c *Catalog) Refresh(ctx context.Context) error {
	changes := c.changes.Load()
	offset, err := c.options.Record.PackagesOffset(ctx)
	if err == nil && offset != c.current.Load().offset {
		c.mu.Lock()
		defer c.mu.Unlock()
		err = c.catchUp(ctx, c.options.Record.Reader)
	}
	if err == nil {
		c.seen.Store(changes)
	}
	return err
}

// At is the packages at the offset of their last change, as a transaction sees it that has locked the head.
func (c *Catalog) At(ctx context.Context, reader db.Reader, offset ledger.Offset) (*ledger.Packages, error) {
	if now := c.current.Load(); now.offset == offset {
		return now.packages, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	err := c.catchUp(ctx, reader)
	return c.current.Load().packages, err
}

// catchUp reads what was uploaded and vetted since the current state.
func (c *Catalog) catchUp(ctx context.Context, reader db.Reader) error {
	before := c.current.Load()
	offset, err := reader.PackagesOffset(ctx) // first: what comes meanwhile is read once more
	if err != nil || offset == before.offset {
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
		return nil, fmt.Errorf("package %s is gone: somebody deleted it from the database", id)
	}
	tree, err := archive.ReadPayload(payload, archive.Options{})
	switch {
	case err != nil:
		return nil, fmt.Errorf("package %s: %w", id, err)
	case tree.ID != id:
		return nil, fmt.Errorf("package %s is %s: somebody changed the database", id, tree.ID)
	default:
		return tree, nil
	}
}
