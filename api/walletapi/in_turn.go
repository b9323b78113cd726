package walletapi

import (
	"context"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/walletapi/external"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/topology"
)

// recordInTurn is the record whose users and what belongs to them change in turns.
type recordInTurn struct{ Record }

// GiveWallet implements [Record].
func (r recordInTurn) GiveWallet(ctx context.Context, wallet db.Wallet) error {
	return endpoint.OnlyInTurn(ctx, func() error { return r.Record.GiveWallet(ctx, wallet) })
}

// DeleteUser implements [Record].
func (r recordInTurn) DeleteUser(ctx context.Context, id string, guards ...db.UserGuard) error {
	return endpoint.OnlyInTurn(ctx, func() error { return r.Record.DeleteUser(ctx, id, guards...) })
}

// GrantRights implements [Record].
func (r recordInTurn) GrantRights(
	ctx context.Context, id string, rights []ledger.Right, guards ...db.UserGuard,
) ([]ledger.Right, error) {
	return endpoint.InTurn(ctx, func() ([]ledger.Right, error) {
		return r.Record.GrantRights(ctx, id, rights, guards...)
	})
}

// RevokeRights implements [Record].
func (r recordInTurn) RevokeRights(
	ctx context.Context, id string, rights []ledger.Right, guards ...db.UserGuard,
) ([]ledger.Right, error) {
	revoked, err := endpoint.InTurn(ctx, func() ([]ledger.Right, error) {
		return r.Record.RevokeRights(ctx, id, rights, guards...)
	})
	if err == nil && id == endpoint.Claims(ctx).UserID() {
		err = endpoint.Renew(ctx)
	}
	return revoked, err
}

// ForgetProvidedPreapproval implements [Record].
func (r recordInTurn) ForgetProvidedPreapproval(
	ctx context.Context, receiver ledger.Party, by *db.KeyClaim,
) (bool, error) {
	return endpoint.InTurn(ctx, func() (bool, error) {
		return r.Record.ForgetProvidedPreapproval(ctx, receiver, by)
	})
}

// WakeProposals implements [Record].
func (r recordInTurn) WakeProposals(ctx context.Context, receivers ...ledger.Party) error {
	return endpoint.OnlyInTurn(ctx, func() error { return r.Record.WakeProposals(ctx, receivers...) })
}

// onboarderInTurn onboards parties in turns.
type onboarderInTurn struct{ external.Onboarder }

// Onboard implements [external.Onboarder].
func (o onboarderInTurn) Onboard(
	ctx context.Context, party ledger.Party, contribution topology.Contribution, wait bool,
) (topology.Outcome, error) {
	return endpoint.OnboardInTurn(ctx, func() (topology.Outcome, error) {
		return o.Onboarder.Onboard(ctx, party, contribution, wait)
	})
}
