package walletapi

import (
	"context"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/topology"
)

// turning is the record whose users and what belongs to them change in turns.
type turning struct{ Record }

// GiveWallet implements [Users].
func (r turning) GiveWallet(ctx context.Context, wallet db.Wallet) error {
	return endpoint.OnlyInTurn(ctx, func() error { return r.Record.GiveWallet(ctx, wallet) })
}

// DeleteUser implements [Users].
func (r turning) DeleteUser(ctx context.Context, id string, guards ...db.UserGuard) error {
	return endpoint.OnlyInTurn(ctx, func() error { return r.Record.DeleteUser(ctx, id, guards...) })
}

// GrantRights implements [Users].
func (r turning) GrantRights(
	ctx context.Context, id string, rights []ledger.Right, guards ...db.UserGuard,
) ([]ledger.Right, error) {
	return endpoint.InTurn(ctx, func() ([]ledger.Right, error) {
		return r.Record.GrantRights(ctx, id, rights, guards...)
	})
}

// RevokeRights implements [Users].
func (r turning) RevokeRights(
	ctx context.Context, id string, rights []ledger.Right, guards ...db.UserGuard,
) ([]ledger.Right, error) {
	return endpoint.InTurn(ctx, func() ([]ledger.Right, error) {
		return r.Record.RevokeRights(ctx, id, rights, guards...)
	})
}

// ForgetProvidedPreapproval implements [Record].
func (r turning) ForgetProvidedPreapproval(
	ctx context.Context, receiver ledger.Party, by *db.KeyClaim,
) (bool, error) {
	return endpoint.InTurn(ctx, func() (bool, error) {
		return r.Record.ForgetProvidedPreapproval(ctx, receiver, by)
	})
}

// WakeProposals implements [Record].
func (r turning) WakeProposals(ctx context.Context, receivers ...ledger.Party) error {
	return endpoint.OnlyInTurn(ctx, func() error { return r.Record.WakeProposals(ctx, receivers...) })
}

// onboardsInTurn has parties onboarded in turns.
type onboardsInTurn struct{ Onboarder }

// Onboard implements [Onboarder].
func (o onboardsInTurn) Onboard(
	ctx context.Context, party ledger.Party, contribution topology.Contribution, wait bool,
) (topology.Outcome, error) {
	return endpoint.OnboardInTurn(ctx, func() (topology.Outcome, error) {
		return o.Onboarder.Onboard(ctx, party, contribution, wait)
	})
}
