package db

import (
	"context"
	"strings"

	"github.com/florinledger/florin/db/dbgen"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// UserRights lists the rights of a user, ordered by kind and party; none for a user that does not exist.
func (r Reader) UserRights(ctx context.Context, id string) ([]ledger.Right, error) {
	rows, err := r.queries.ListUserRights(ctx, id)
	rights := make([]ledger.Right, len(rows))
	for i, row := range rows {
		rights[i] = ledger.Right{Kind: ledger.RightKind(row.Kind), Party: row.Party}
	}
	return rights, failed("listing user rights", err)
}

// UserWithRights is a user and its rights, ordered by kind and party.
type UserWithRights struct {
	ledger.User

	Rights []ledger.Right
}

// UsersWithRights lists the users of all identity providers whose ids are after the given one, in byte order of the
// ids. With a party it lists only the rights to this party or to any, and leaves out users without such a right. A text
// without :: is the name of parties.
func (r Reader) UsersWithRights(ctx context.Context, after, party string, limit int32) ([]UserWithRights, error) {
	first, last := partiesOf(party)
	rows, err := r.queries.ListUsersWithRights(ctx, dbgen.ListUsersWithRightsParams{
		After: after, FirstParty: first, LastParty: last, CountMax: limit,
	})
	users := make([]UserWithRights, len(rows))
	for i, row := range rows {
		user, err := fromDBUser(row.User)
		if err != nil {
			return nil, err
		}
		users[i] = UserWithRights{user, make([]ledger.Right, len(row.Rights))}
		for j, right := range row.Rights {
			kind, party, _ := strings.Cut(right, " ")
			users[i].Rights[j] = ledger.Right{Kind: ledger.RightKind(kind), Party: ledger.Party(party)}
		}
	}
	return users, failed("listing users with their rights", err)
}

// partiesOf is the range of the parties that a text chooses: one party, all parties of a name, or "" for any.
func partiesOf(text string) (first, last string) {
	if text == "" || strings.Contains(text, "::") {
		return text, text
	}
	return text + "::", text + "::\U0010FFFF"
}

// UsersOfParty lists users who have a right over a party, ordered by id, up to a limit.
func (r Reader) UsersOfParty(ctx context.Context, party ledger.Party, limit int32) ([]string, error) {
	users, err := r.queries.ListUsersOfParty(ctx, dbgen.ListUsersOfPartyParams{Party: party, CountMax: limit})
	return users, failed("listing the users of a party", err)
}

// GrantRights gives rights to a user and returns those that it did not have. Faults: USER_NOT_FOUND,
// TOO_MANY_USER_RIGHTS.
func (d *DB) GrantRights(
	ctx context.Context, id string, rights []ledger.Right, guards ...UserGuard,
) ([]ledger.Right, error) {
	var granted []ledger.Right
	err := d.changeUser(ctx, id, func(tx *Tx) error {
		if _, err := tx.lockUser(ctx, "grant user rights", id, guards...); err != nil {
			return err
		}
		var err error
		granted, err = tx.grant(ctx, id, rights)
		return err
	})
	return granted, err
}

// RevokeRights takes rights from a user and returns those that it had. Fault: USER_NOT_FOUND.
func (d *DB) RevokeRights(
	ctx context.Context, id string, rights []ledger.Right, guards ...UserGuard,
) ([]ledger.Right, error) {
	var revoked []ledger.Right
	err := d.changeUser(ctx, id, func(tx *Tx) error {
		if _, err := tx.lockUser(ctx, "revoke user rights", id, guards...); err != nil {
			return err
		}
		kinds, parties := toDBRights(rights)
		rows, err := tx.queries.DeleteUserRights(ctx, dbgen.DeleteUserRightsParams{
			UserID: id, Kinds: kinds, Parties: parties,
		})
		revoked = make([]ledger.Right, len(rows))
		for i, row := range rows {
			revoked[i] = ledger.Right{Kind: ledger.RightKind(row.Kind), Party: row.Party}
		}
		return failed("revoking user rights", err)
	})
	return revoked, err
}

// grant gives rights to a user that is locked or new, and returns those that it did not have.
func (t *Tx) grant(ctx context.Context, id string, rights []ledger.Right) ([]ledger.Right, error) {
	kinds, parties := toDBRights(rights)
	rows, err := t.queries.InsertUserRights(ctx, dbgen.InsertUserRightsParams{
		UserID: id, Kinds: kinds, Parties: parties,
	})
	if err != nil {
		return nil, failed("granting user rights", err)
	}
	count, err := t.queries.CountUserRights(ctx, id)
	if err != nil {
		return nil, failed("counting user rights", err)
	}
	if count > ledger.MaxUserRights {
		return nil, fault.TooManyUserRightsFor(id, ledger.MaxUserRights, int(count))
	}
	granted := make([]ledger.Right, len(rows))
	for i, row := range rows {
		granted[i] = ledger.Right{Kind: ledger.RightKind(row.Kind), Party: row.Party}
	}
	return granted, nil
}

func toDBRights(rights []ledger.Right) (kinds, parties []string) {
	kinds, parties = make([]string, len(rights)), make([]string, len(rights))
	for i, right := range rights {
		kinds[i], parties[i] = string(right.Kind), string(right.Party)
	}
	return kinds, parties
}
