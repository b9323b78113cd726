package validator

import (
	"context"
	"sync"

	"github.com/florinledger/florin/api/changes"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/internal/coalesce"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/wallet/plan"
)

// memory keeps contracts that nearly every request needs and that change seldom: the rules of the coin, its rounds, and
// the installs of wallets. The head of the record says at which offset such contracts changed last.
type memory struct {
	changed *coalesce.Query[ledger.Offset]

	mu   sync.Mutex
	kept *kept
}

// maxKeptInstalls limits the installs in memory.
const maxKeptInstalls = 10_000

// kept is the contracts after the change at an offset, or after a later one.
type kept struct {
	offset   ledger.Offset
	network  *plan.Network
	installs map[installKey]Contract[walletapp.WalletAppInstall]
}

type installKey struct {
	user  string
	party ledger.Party
}

// current returns the contracts that are in memory; none after a change, and for a request that is served again, which
// reads the ledger as its first attempt did.
func (m *memory) current(ctx context.Context) (*kept, error) {
	offset, err := m.changed.Ask(ctx)
	if err != nil {
		return nil, err
	}
	if _, again, err := changes.AttemptOf(ctx).Before(ctx); err != nil || again {
		return &kept{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.kept == nil || m.kept.offset < offset {
		m.kept = &kept{offset: offset, installs: map[installKey]Contract[walletapp.WalletAppInstall]{}}
	}
	if m.kept.offset > offset {
		return &kept{}, nil
	}
	return m.kept, nil
}

// networkOf returns the network, which read reads unless it is in memory.
func (m *memory) networkOf(ctx context.Context, read func() (plan.Network, error)) (plan.Network, error) {
	known, err := m.current(ctx)
	if err != nil {
		return plan.Network{}, err
	}
	m.mu.Lock()
	network := known.network
	m.mu.Unlock()
	if network != nil {
		return *network, nil
	}
	found, err := read()
	if err == nil {
		m.mu.Lock()
		known.network = &found
		m.mu.Unlock()
	}
	return found, err
}

// installOf returns an install, which read reads unless it is in memory.
func (m *memory) installOf(
	ctx context.Context, key installKey, read func() (Contract[walletapp.WalletAppInstall], bool, error),
) (Contract[walletapp.WalletAppInstall], bool, error) {
	known, err := m.current(ctx)
	if err != nil {
		return Contract[walletapp.WalletAppInstall]{}, false, err
	}
	m.mu.Lock()
	install, ok := known.installs[key]
	m.mu.Unlock()
	if ok {
		return install, true, nil
	}
	install, ok, err = read()
	if err == nil && ok && known.installs != nil {
		m.mu.Lock()
		defer m.mu.Unlock()
		if len(known.installs) >= maxKeptInstalls {
			clear(known.installs)
		}
		known.installs[key] = install
	}
	return install, ok, err
}
