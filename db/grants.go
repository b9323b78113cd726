package db

import (
	"context"

	"github.com/florinledger/florin/db/dbgen"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// checkingGrantee is the operation in faults about a user who cannot get the right to a party.
const checkingGrantee = "checking user's existence"

// Grant is the right to act as a party that is being allocated, for a user of the party's identity provider.
type Grant struct {
	// UserID is the user; "" for nobody.
	UserID string
	// Guard refuses users whom the caller may not change; nil refuses nobody.
	Guard UserGuard
	// MayMiss allocates the party without the right if the user cannot get it.
	MayMiss bool
	// MaxParties limits the parties that the user has rights to, this one included; 0 for no limit.
	MaxParties int
}

// grantParty gives the right to act as a party, and reports whether it did. With MayMiss it refuses nobody.
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

// mayGet refuses a grant that the user cannot get: USER_NOT_FOUND, TOO_MANY_USER_RIGHTS, and PERMISSION_DENIED beyond
// the quota. Until the transaction ends nobody else changes the user or its rights.
func (t *Tx) mayGet(ctx context.Context, grant Grant, party ledger.Party, provider string) error {
	user, err := t.lockUser(ctx, checkingGrantee, grant.UserID, grant.Guard)
	if err != nil {
		return err
	}
	return t.checkGrant(ctx, user, grant, party, provider)
}

// couldGet is mayGet without a lock: it refuses a grant that the user cannot get now, unless the grant may miss.
func (r Reader) couldGet(ctx context.Context, grant Grant, party ledger.Party, provider string) error {
	if grant.UserID == "" || grant.MayMiss {
		return nil
	}
	user, known, err := r.UserNamed(ctx, grant.UserID)
	switch {
	case err != nil:
		return err
	case !known:
		return fault.UserNotFoundWhen(checkingGrantee, grant.UserID)
	}
	if err := r.CheckReach(ctx, user, grant.Guard); err != nil {
		return err
	}
	return r.checkGrant(ctx, user, grant, party, provider)
}

// checkGrant refuses a grant that an existing user cannot get.
func (r Reader) checkGrant(
	ctx context.Context, user ledger.User, grant Grant, party ledger.Party, provider string,
) error {
	if user.IdentityProviderID != provider {
		return fault.UserNotFoundWhen(checkingGrantee, grant.UserID)
	}
	count, err := r.queries.CountUserRights(ctx, grant.UserID)
	if err != nil {
		return failed("counting user rights", err)
	}
	if count >= ledger.MaxUserRights {
		return fault.TooManyUserRightsFor(grant.UserID, ledger.MaxUserRights, int(count)+1)
	}
	return r.CheckPartyQuota(ctx, grant, party)
}

// CheckPartyQuota refuses a user who, with this party, would have rights to more parties than allowed. Like upstream,
// it counts rights of every kind.
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
		return fault.PermissionDenied.New("User quota of party allocations exhausted: user %q has rights to %d parties, "+
			"and the limit is %d", grant.UserID, others, grant.MaxParties)
	}
	return nil
}
