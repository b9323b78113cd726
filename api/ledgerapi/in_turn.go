package ledgerapi

import (
	"context"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/ledgerapi/parties"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/topology"
)

// recordInTurn is the record whose users, parties and identity providers change in turns.
type recordInTurn struct{ Record }

// CreateUser implements [Record].
func (r recordInTurn) CreateUser(ctx context.Context, user ledger.User, rights []ledger.Right) (ledger.User, error) {
	return endpoint.InTurn(ctx, func() (ledger.User, error) { return r.Record.CreateUser(ctx, user, rights) })
}

// UpdateUser implements [Record].
func (r recordInTurn) UpdateUser(
	ctx context.Context, id string, expected *int64, change func(*ledger.User) error, guards ...db.UserGuard,
) (ledger.User, error) {
	return endpoint.InTurn(ctx, func() (ledger.User, error) {
		return r.Record.UpdateUser(ctx, id, expected, change, guards...)
	})
}

// MoveUser implements [Record].
func (r recordInTurn) MoveUser(ctx context.Context, id, source, target string) error {
	return endpoint.OnlyInTurn(ctx, func() error { return r.Record.MoveUser(ctx, id, source, target) })
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
	return endpoint.InTurn(ctx, func() ([]ledger.Right, error) {
		return r.Record.RevokeRights(ctx, id, rights, guards...)
	})
}

// HostParty implements [Record].
func (r recordInTurn) HostParty(ctx context.Context, hosting db.Hosting) (ledger.PartyDetails, error) {
	return endpoint.InTurn(ctx, func() (ledger.PartyDetails, error) { return r.Record.HostParty(ctx, hosting) })
}

// UpdateParty implements [Record].
func (r recordInTurn) UpdateParty(
	ctx context.Context, party ledger.Party, expected *int64, change func(*ledger.PartyDetails) error,
) (ledger.PartyDetails, error) {
	return endpoint.InTurn(ctx, func() (ledger.PartyDetails, error) {
		return r.Record.UpdateParty(ctx, party, expected, change)
	})
}

// CreateIdentityProvider implements [Record].
func (r recordInTurn) CreateIdentityProvider(ctx context.Context, provider ledger.IdentityProvider) error {
	return endpoint.OnlyInTurn(ctx, func() error { return r.Record.CreateIdentityProvider(ctx, provider) })
}

// UpdateIdentityProvider implements [Record].
func (r recordInTurn) UpdateIdentityProvider(
	ctx context.Context, id string, change func(*ledger.IdentityProvider) error,
) (ledger.IdentityProvider, error) {
	return endpoint.InTurn(ctx, func() (ledger.IdentityProvider, error) {
		return r.Record.UpdateIdentityProvider(ctx, id, change)
	})
}

// DeleteIdentityProvider implements [Record].
func (r recordInTurn) DeleteIdentityProvider(ctx context.Context, id string) error {
	return endpoint.OnlyInTurn(ctx, func() error { return r.Record.DeleteIdentityProvider(ctx, id) })
}

// onboarderInTurn onboards parties in turns.
type onboarderInTurn struct{ parties.Onboarder }

// Onboard implements [parties.Onboarder].
func (o onboarderInTurn) Onboard(
	ctx context.Context, party ledger.Party, contribution topology.Contribution, wait bool,
) (topology.Outcome, error) {
	return endpoint.OnboardInTurn(ctx, func() (topology.Outcome, error) {
		return o.Onboarder.Onboard(ctx, party, contribution, wait)
	})
}
