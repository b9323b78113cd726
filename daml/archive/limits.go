package archive

import (
	"sync/atomic"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/ledger/lf"
)

// Limits bound what reading an archive may cost.
type Limits struct {
	// Entries bounds the entries of a DAR, Packages how many of them are packages.
	Entries, Packages int
	// PackageBytes bounds one unpacked package, TotalBytes all that is unpacked.
	PackageBytes, TotalBytes int64
	// Messages bounds the messages that all packages are encoded in, and with them what the trees take in memory.
	Messages int64
	// Nodes bounds what a walk over the trees of all packages meets.
	Nodes int64
}

// DefaultLimits are about ten times what the largest published archives need.
func DefaultLimits() Limits {
	return Limits{
		Entries: 10_000, Packages: 1000, PackageBytes: 64 << 20, TotalBytes: 256 << 20,
		Messages: 10_000_000, Nodes: 40_000_000,
	}
}

// Options say how an archive is read. The zero value is for archives of stable language versions.
type Options struct {
	// Limits are DefaultLimits where they are zero.
	Limits Limits
	// Candidates also takes packages in the release candidates that became stable versions, and Dev all candidates and
	// 2.dev.
	Candidates, Dev bool
	// Known finds a package that was read before, so that it is not read again; nil knows none. It may be called from
	// several goroutines at a time.
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

// budget counts down what is left of a limit; it is shared by all that read one archive.
type budget struct{ left atomic.Int64 }

// share is a part of a budget that one goroutine uses up before it takes more.
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

// giveBack returns what was not used.
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
