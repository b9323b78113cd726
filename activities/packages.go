package activities

import (
	"context"
	"errors"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// errOtherPackages ends a transaction if the head has other packages than this process knows.
var errOtherPackages = errors.New("the packages were changed meanwhile")

// knownPackages returns the packages that this process knows, and the offset of their last change.
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

// maxPackageReads limits how often a batch starts again because packages changed meanwhile. Then the activity fails and
// runs again after a pause, as when the database is away: no submission is guilty.
const maxPackageReads = 10

// withPackages runs a transaction that uses the packages, and again if they have changed meanwhile. It reads them
// between the transactions, so that nobody waits for the head lock.
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
		"Packages were uploaded or vetted %d times during one commit, each time before its end",
		maxPackageReads).
		WithHint("The node tries again by itself. Upload and vet packages less often.").Wrap(errOtherPackages)
}
