// Package onboarding gives users a wallet and removes it: /v0/admin/users and /v0/register.
package onboarding

import (
	"context"

	"github.com/florinledger/florin/api/walletapi/validator"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
)

// UserRecord stores users and their parties.
type UserRecord interface {
	Head(ctx context.Context) (db.Head, error)
	Parties(ctx context.Context, parties []ledger.Party) ([]ledger.PartyDetails, error)
	// UserNamed finds a user of any identity provider.
	UserNamed(ctx context.Context, id string) (user ledger.User, ok bool, err error)
	// GiveWallet creates the user unless it exists, and gives it the party and the right to act as it.
	GiveWallet(ctx context.Context, wallet db.Wallet) error
	// CheckOwnWallet returns [db.ErrTaken] for users who may not give themselves a wallet.
	CheckOwnWallet(ctx context.Context, owner ledger.Identity) error
	// WalletParty finds the party of a user's present or former wallet.
	WalletParty(ctx context.Context, owner ledger.Identity) (ledger.Party, bool, error)
	// UsersOfParty lists users with a right over a party, up to limit.
	UsersOfParty(ctx context.Context, party ledger.Party, limit int32) ([]string, error)
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
