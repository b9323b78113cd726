package archive

import (
	"sync/atomic"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/ledger/lf"
)

// Limits bound the cost of reading an archive.
type Limits struct {
	// Entries bounds the entries of a DAR, Packages the packages among them.
	Entries, Packages int
	// PackageBytes bounds one unpacked package, TotalBytes all unpacked entries.
	PackageBytes, TotalBytes int64
	// Messages bounds the encoded messages of all packages, and so the memory of the trees.
	Messages int64
	// Nodes bounds the nodes that a walk over the trees of all packages meets.
	Nodes int64
}

// DefaultLimits are about ten times the needs of the largest published archives.
func DefaultLimits() Limits {
	return Limits{
		Entries: 10_000, Packages: 1000, PackageBytes: 64 << 20, TotalBytes: 256 << 20,
		Messages: 10_000_000, Nodes: 40_000_000,
	}
}

// Options are options of a reader. The zero value is for archives of stable language versions.
type Options struct {
	// Limits are DefaultLimits if zero.
	Limits Limits
	// Candidates also accepts the release candidates that became stable versions; Dev accepts all candidates and 2.dev.
	Candidates, Dev bool
	// Known finds a package that was read before, so that it is not read again; nil knows none. Several goroutines may
	// call it at a time.
	Known func(lf.PackageID) *ast.Package
}

func (o Options) withDefaults() Options {
	if o.Limits == (Limits{}) {
		o.Limits = DefaultLimits()
	}
	if o.Known == nil {
		o.Known = func(lf.PackageID) *ast.Package { return nil }
	}
	return o
}

// budget is the rest of a limit, which the goroutines that read one archive share.
type budget struct{ left atomic.Int64 }

// share is the part of a budget that one goroutine holds.
type share struct {
	of   *budget
	left int64
}

const shareSize = 10_000

// take reports whether n more are within the limit.
func (s *share) take(n int64) bool {
	if s.left -= n; s.left >= 0 {
		return true
	}
	more := shareSize - s.left
	s.left += more
	return s.of.take(more)
}

// giveBack returns the unused part.
func (s *share) giveBack() {
	s.of.left.Add(s.left)
	s.left = 0
}

func newBudget(limit int64) *budget {
	b := &budget{}
	b.left.Store(limit)
	return b
}

// take reports whether n more are within the limit.
func (b *budget) take(n int64) bool { return b.left.Add(-n) >= 0 }
