package activities

import (
	"context"
	"errors"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// errOtherPackages ends a transaction whose head has other packages than this process knew.
var errOtherPackages = errors.New("the packages were changed meanwhile")

// knownPackages are the packages that this process knows, and the offset of the head's last change of them for which
// they are those of the head.
func (a *Activities) knownPackages() (packages *ledger.Packages, at ledger.Offset) {
	if a.Catalog == nil {
		return a.Packages, 0
	}
	return a.Catalog.Known()
}

// isOutdated reports whether the head has other packages.
func (a *Activities) isOutdated(known, changed ledger.Offset) bool {
	return a.Catalog != nil && known != changed
}

// maxPackageReads is how often a batch is decided anew because packages changed under it. Then its activity fails, and
// is tried again after a pause, as when the database is away: neither is due to any of the submissions.
const maxPackageReads = 10

// withPackages runs what decides by packages in a transaction, and again while these have changed meanwhile: they are
// read between the transactions, while nobody waits for the head.
func (a *Activities) withPackages(ctx context.Context, run func() error) error {
	for range maxPackageReads {
		err := run()
		if !errors.Is(err, errOtherPackages) {
			return err
		}
		if err := a.Catalog.Refresh(ctx); err != nil {
			return err
		}
	}
	return fault.ServiceNotRunning.New(
		"Packages were uploaded or vetted %d times while one batch was decided, each time before it was done",
		maxPackageReads).WithHint("It is tried again by itself. Upload and vet packages less often.").Wrap(errOtherPackages)
}
