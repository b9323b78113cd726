package db

import (
	"context"
	"errors"
	"slices"

	"github.com/florinledger/florin/db/dbgen"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// ErrTaken refuses a user that gives itself a wallet: an administrator removed the wallet or a part of it, and has to
// give it back.
var ErrTaken = errors.New("an administrator removed the user, its wallet or its right to act as its party")

// ErrNotGiven refuses a user that gives itself a wallet: it was never allowed to act as its party.
var ErrNotGiven = errors.New("the user may not act as its primary party")

// Wallet is the party for a user's wallet.
type Wallet struct {
	Owner ledger.Identity
	Party ledger.Party
	// Hosting allocates the party; nil for a party that exists.
	Hosting *Hosting
	// BySelf: the user gives itself the wallet. It then gets no right back that it has lost.
	BySelf bool
}

// WalletParty finds the party that a user's wallet has or had; false for users that never had one.
func (r Reader) WalletParty(ctx context.Context, owner ledger.Identity) (ledger.Party, bool, error) {
	party, err := r.queries.GetWalletParty(ctx, dbgen.GetWalletPartyParams{
		IdentityProviderID: owner.IdentityProviderID, UserID: owner.UserID,
	})
	if isNoRows(err) {
		return "", false, nil
	}
	return party, err == nil, failed("reading the party of a wallet", err)
}

// GiveWallet makes sure that a user exists, has a primary party (this one, if it has no other) and may act as the
// party, and notes the party of its wallet: all or nothing. So if a user has a noted wallet and lacks a part of it, an
// administrator removed that part. Faults: INVALID_ARGUMENT for a party to allocate that exists, USER_ALREADY_EXISTS
// when the user is another identity provider's or was changed meanwhile, TOO_MANY_USER_RIGHTS; [ErrTaken] and
// [ErrNotGiven] for a user that gives itself a wallet.
func (d *DB) GiveWallet(ctx context.Context, wallet Wallet) error {
	if done, err := d.ownsWallet(ctx, wallet); err != nil || done {
		return err
	}
	if wallet.Hosting != nil {
		if err := d.mayHost(ctx, *wallet.Hosting); err != nil {
			return err
		}
	}
	return d.changeUser(ctx, wallet.Owner.UserID, func(tx *Tx) error {
		if wallet.Hosting == nil {
			return tx.settleWallet(ctx, wallet)
		}
		return tx.enterHosting(ctx, *wallet.Hosting, func() error { return tx.settleWallet(ctx, wallet) })
	})
}

// ownsWallet refuses users who cannot give themselves the wallet now. done is true for those who have all of it. It
// takes no lock and announces no change.
func (r Reader) ownsWallet(ctx context.Context, wallet Wallet) (done bool, err error) {
	if !wallet.BySelf {
		return false, nil
	}
	if err := r.CheckOwnWallet(ctx, wallet.Owner); err != nil {
		return false, err
	}
	user, known, err := r.User(ctx, wallet.Owner)
	if err != nil || !known || user.PrimaryParty != wallet.Party {
		return false, err
	}
	return r.mayKeepWallet(ctx, wallet, user)
}

// settleWallet finds or creates the user, and gives it the wallet.
func (t *Tx) settleWallet(ctx context.Context, wallet Wallet) error {
	row, err := t.holdUser(ctx, wallet.Owner.UserID)
	switch {
	case isNoRows(err):
		return t.giveWalletToNewUser(ctx, wallet)
	case err != nil:
		return err
	}
	user, err := fromDBUser(row)
	if err != nil {
		return err
	}
	if user.Identity() != wallet.Owner {
		return fault.UserAlreadyExistsNamed(user.ID)
	}
	if user.PrimaryParty != "" && user.PrimaryParty != wallet.Party {
		party, had, err := t.WalletParty(ctx, wallet.Owner)
		if err != nil {
			return err
		}
		if !had || party != wallet.Party { // it was changed meanwhile
			return fault.UserAlreadyExistsNamed(user.ID)
		}
	}
	if wallet.BySelf {
		done, err := t.mayKeepWallet(ctx, wallet, user)
		if err != nil || done {
			return err
		}
	}
	return t.giveWallet(ctx, wallet, user)
}

// mayKeepWallet refuses users who would give themselves rights that they have lost. done is true for users who have all
// of the rights.
func (r Reader) mayKeepWallet(ctx context.Context, wallet Wallet, user ledger.User) (done bool, err error) {
	if user.IsDeactivated {
		return false, ErrTaken
	}
	remembered, had, err := r.WalletParty(ctx, wallet.Owner)
	if err != nil || !had && user.PrimaryParty == "" {
		return false, err
	}
	rights, err := r.UserRights(ctx, user.ID)
	if err != nil {
		return false, err
	}
	holds := slices.Contains(rights, ledger.Right{Kind: ledger.CanActAs, Party: wallet.Party})
	switch {
	case !holds && had:
		return false, ErrTaken
	case !holds:
		return false, ErrNotGiven
	default:
		return had && remembered == wallet.Party && user.PrimaryParty != "", nil
	}
}

// CheckOwnWallet is the check before [DB.GiveWallet]: it returns [ErrTaken] for users who can neither give themselves a
// wallet nor keep their old one.
func (r Reader) CheckOwnWallet(ctx context.Context, owner ledger.Identity) error {
	// Read before the user: if the user registers on another node at the same moment, the second read finds it.
	party, had, err := r.WalletParty(ctx, owner)
	if err != nil {
		return err
	}
	user, known, err := r.User(ctx, owner)
	switch {
	case err != nil:
		return err
	case !known && had:
		return ErrTaken
	case !known:
		return r.checkNotDeleted(ctx, owner)
	case user.IsDeactivated:
		return ErrTaken
	case !had:
		return nil
	}
	rights, err := r.UserRights(ctx, user.ID)
	if err != nil {
		return err
	}
	for _, party := range []ledger.Party{party, user.PrimaryParty} { // [DB.GiveWallet] decides which
		if slices.Contains(rights, ledger.Right{Kind: ledger.CanActAs, Party: party}) {
			return nil
		}
	}
	return ErrTaken
}

// checkNotTaken refuses a user that does not exist and did before.
func (r Reader) checkNotTaken(ctx context.Context, who ledger.Identity) error {
	_, had, err := r.WalletParty(ctx, who)
	switch {
	case err != nil:
		return err
	case had:
		return ErrTaken
	default:
		return r.checkNotDeleted(ctx, who)
	}
}

// checkNotDeleted refuses a user whom an administrator deleted.
func (r Reader) checkNotDeleted(ctx context.Context, who ledger.Identity) error {
	deleted, err := r.queries.WasUserDeleted(ctx, dbgen.WasUserDeletedParams{
		IdentityProviderID: who.IdentityProviderID, UserID: who.UserID,
	})
	if err == nil && deleted {
		return ErrTaken
	}
	return failed("reading who was deleted", err)
}

// giveWalletToNewUser creates the user. A user that an administrator deleted cannot register itself again.
func (t *Tx) giveWalletToNewUser(ctx context.Context, wallet Wallet) error {
	user := ledger.User{
		ID: wallet.Owner.UserID, PrimaryParty: wallet.Party, IdentityProviderID: wallet.Owner.IdentityProviderID,
	}
	if err := t.insertUser(ctx, user); err != nil {
		return err
	}
	if wallet.BySelf { // after the insert, which waits for a concurrent deletion
		if err := t.checkNotTaken(ctx, wallet.Owner); err != nil {
			return err
		}
	}
	return t.giveWallet(ctx, wallet, user)
}

// giveWallet adds the missing parts of the wallet of a user that is locked.
func (t *Tx) giveWallet(ctx context.Context, wallet Wallet, user ledger.User) error {
	if wallet.Hosting != nil {
		if err := t.insertParty(ctx, wallet.Hosting.Details); err != nil {
			return err
		}
	}
	if user.PrimaryParty == "" {
		user.PrimaryParty = wallet.Party
		user.ResourceVersion++
		if err := t.storeUser(ctx, user); err != nil {
			return err
		}
	}
	if _, err := t.grant(ctx, user.ID, []ledger.Right{{Kind: ledger.CanActAs, Party: wallet.Party}}); err != nil {
		return err
	}
	if err := t.setWalletParty(ctx, wallet.Owner, wallet.Party); err != nil {
		return err
	}
	if wallet.BySelf {
		return nil
	}
	return t.forgetDeletion(ctx, wallet.Owner)
}

// moveWallet hands the wallet of a user to its identity at another identity provider.
func (t *Tx) moveWallet(ctx context.Context, from, to ledger.Identity) error {
	party, had, err := t.WalletParty(ctx, from)
	if err != nil || from == to {
		return err
	}
	for _, who := range []ledger.Identity{from, to} {
		err := t.queries.DeleteWalletParty(ctx, dbgen.DeleteWalletPartyParams{
			IdentityProviderID: who.IdentityProviderID, UserID: who.UserID,
		})
		if err != nil {
			return failed("moving a wallet", err)
		}
	}
	if !had {
		return nil
	}
	return t.setWalletParty(ctx, to, party)
}

func (t *Tx) setWalletParty(ctx context.Context, owner ledger.Identity, party ledger.Party) error {
	return failed("noting the party of a wallet", t.queries.SetWalletParty(ctx, dbgen.SetWalletPartyParams{
		IdentityProviderID: owner.IdentityProviderID, UserID: owner.UserID, Party: party,
	}))
}
