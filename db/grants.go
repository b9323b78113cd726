package db

import (
	"context"

	"github.com/florinledger/florin/db/dbgen"
	"github.com/florinledger/florin/fault"
	"github.com/florinledger/florin/ledger"
)

// Grant is the right to act as a party that is being allocated, for a user of the party's identity provider.
type Grant struct {
	// UserID is the user; "" for nobody.
	UserID string
	// Guard refuses users beyond the reach of whoever asks; nil for no bound.
	Guard UserGuard
	// MayMiss has the party allocated without the right if the user cannot get it.
	MayMiss bool
	// MaxParties is how many parties the user may have rights to with this one; 0 for any number.
	MaxParties int
}

// grantParty gives the right to act as a party, and reports whether it did. Whoever may miss it is no obstacle.
func (t *Tx) grantParty(ctx context.Context, grant Grant, party ledger.Party, provider string) (bool, error) {
	err := t.mayGet(ctx, grant, party, provider)
	if _, refused := fault.As(err); refused && grant.MayMiss {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	granted, err := t.grant(ctx, grant.UserID, []ledger.Right{{Kind: ledger.CanActAs, Party: party}})
	if err != nil || len(granted) == 0 {
		return false, err
	}
	return true, failed("announcing the change of a user", t.queries.NotifyUser(ctx, grant.UserID))
}

// mayGet refuses what the user cannot get: USER_NOT_FOUND, TOO_MANY_USER_RIGHTS, and PERMISSION_DENIED beyond the
// quota. Until the transaction ends nobody else changes the user or its rights.
func (t *Tx) mayGet(ctx context.Context, grant Grant, party ledger.Party, provider string) error {
	const operation = "checking user's existence"
	user, err := t.lockUser(ctx, operation, grant.UserID, grant.Guard)
	if err != nil {
		return err
	}
	if user.IdentityProviderID != provider {
		return fault.UserNotFoundWhen(operation, grant.UserID)
	}
	count, err := t.queries.CountUserRights(ctx, grant.UserID)
	if err != nil {
		return failed("counting user rights", err)
	}
	if count >= ledger.MaxUserRights {
		return tooManyRights(grant.UserID, count+1)
	}
	return t.CheckPartyQuota(ctx, grant, party)
}

// CheckPartyQuota refuses users that, with this party, would have rights to more parties than they may: upstream counts
// those of every kind of right, and so does this.
func (r Reader) CheckPartyQuota(ctx context.Context, grant Grant, party ledger.Party) error {
	if grant.MaxParties == 0 {
		return nil
	}
	others, err := r.queries.CountPartiesOfUser(ctx, dbgen.CountPartiesOfUserParams{
		UserID: grant.UserID, OtherThan: party,
	})
	if err != nil {
		return failed("counting the parties of a user", err)
	}
	if others >= int64(grant.MaxParties) {
		return fault.PermissionDenied.New("User quota of party allocations exhausted: user %q has rights to %d parties "+
			"and may allocate for itself until it has %d", grant.UserID, others, grant.MaxParties)
	}
	return nil
}
