// Package onboarding gives users their wallets and takes them away: /v0/admin/users and /v0/register.
package onboarding

import (
	"context"

	"github.com/florinledger/florin/api/walletapi/validator"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
)

// UserRecord is where users and their parties are kept.
type UserRecord interface {
	Head(ctx context.Context) (db.Head, error)
	Parties(ctx context.Context, parties []ledger.Party) ([]ledger.PartyDetails, error)
	// UserNamed finds a user of whichever identity provider.
	UserNamed(ctx context.Context, id string) (user ledger.User, ok bool, err error)
	// GiveWallet creates the user unless it exists, and gives it the party and the right to act as it.
	GiveWallet(ctx context.Context, wallet db.Wallet) error
	// CheckOwnWallet returns [db.ErrTaken] for users who cannot give themselves a wallet.
	CheckOwnWallet(ctx context.Context, owner ledger.Identity) error
	// WalletParty finds the party that a user's wallet has or had.
	WalletParty(ctx context.Context, owner ledger.Identity) (ledger.Party, bool, error)
	// UsersOfParty lists users who have a right over a party, at most so many.
	UsersOfParty(ctx context.Context, party ledger.Party, limit int32) ([]string, error)
	// UserRights lists the rights of a user.
	UserRights(ctx context.Context, id string) ([]ledger.Right, error)
	DeleteUser(ctx context.Context, id string, guards ...db.UserGuard) error
	RevokeRights(
		ctx context.Context, id string, rights []ledger.Right, guards ...db.UserGuard,
	) ([]ledger.Right, error)
}

// API serves the onboarding of users.
type API struct {
	*validator.Base

	record UserRecord
}

// New makes the API.
func New(base *validator.Base, record UserRecord) *API { return &API{Base: base, record: record} }
