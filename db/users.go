package db

import (
	"context"
	"strconv"

	"github.com/florinledger/florin/db/dbgen"
	"github.com/florinledger/florin/fault"
	"github.com/florinledger/florin/ledger"
)

// CreateUser stores a new user with rights and returns it as stored, at resource version 0. Repeated rights count once.
// Faults: USER_ALREADY_EXISTS, TOO_MANY_USER_RIGHTS.
func (d *DB) CreateUser(ctx context.Context, user ledger.User, rights []ledger.Right) (ledger.User, error) {
	annotations, err := toDBAnnotations(user.Annotations)
	if err != nil {
		return ledger.User{}, failed("writing annotations", err)
	}
	var created ledger.User
	err = d.changeUser(ctx, user.ID, func(tx *Tx) error {
		inserted, err := tx.queries.InsertUser(ctx, dbgen.InsertUserParams{
			ID:                         user.ID,
			PrimaryParty:               string(user.PrimaryParty),
			IsDeactivated:              user.IsDeactivated,
			Annotations:                annotations,
			IdentityProviderID:         user.IdentityProviderID,
			PrimaryPartyAuthentication: user.PrimaryPartyAuthentication,
		})
		if err != nil {
			return failed("creating user", err)
		}
		if inserted == 0 {
			return fault.UserAlreadyExistsNamed(user.ID)
		}
		if _, err := tx.grant(ctx, user.ID, rights); err != nil {
			return err
		}
		created, _, err = tx.User(ctx, user.ID)
		return err
	})
	return created, err
}

// User finds a user; false when there is none of this id.
func (r Reader) User(ctx context.Context, id string) (ledger.User, bool, error) {
	row, err := r.queries.GetUser(ctx, id)
	if isNoRows(err) {
		return ledger.User{}, false, nil
	}
	if err != nil {
		return ledger.User{}, false, failed("reading user", err)
	}
	user, err := fromDBUser(row)
	return user, err == nil, err
}

// Users lists the users of an identity provider whose ids are after the given one, in byte order of the ids.
func (r Reader) Users(
	ctx context.Context, identityProvider, after string, limit int32,
) ([]ledger.User, error) {
	rows, err := r.queries.ListUsers(ctx, dbgen.ListUsersParams{
		IdentityProviderID: identityProvider, After: after, CountMax: limit,
	})
	if err != nil {
		return nil, failed("listing users", err)
	}
	users := make([]ledger.User, len(rows))
	for i, row := range rows {
		if users[i], err = fromDBUser(row); err != nil {
			return nil, err
		}
	}
	return users, nil
}

// UpdateUser changes a user: change gets the user as it is and makes it what it shall be; its error ends the update.
// Whatever it does, the id stays, and the resource version grows by one. With an expected resource version the user
// must be at that version. Faults: USER_NOT_FOUND, CONCURRENT_USER_UPDATE_DETECTED, and those of change.
func (d *DB) UpdateUser(
	ctx context.Context, id string, expected *int64, change func(*ledger.User) error,
) (ledger.User, error) {
	var user ledger.User
	err := d.changeUser(ctx, id, func(tx *Tx) error {
		var err error
		if user, err = tx.lockUser(ctx, "updating user", id); err != nil {
			return err
		}
		version := user.ResourceVersion
		if expected != nil && *expected != version {
			return fault.ConcurrentUserUpdateDetected.
				New("Update operation for user %q failed due to a concurrent update: "+
					"resource version %d was expected, but it is %d", id, *expected, version).
				WithResource("USER", id)
		}
		if err := change(&user); err != nil {
			return err
		}
		user.ID, user.ResourceVersion = id, version+1
		return tx.storeUser(ctx, user)
	})
	return user, err
}

// MoveUser hands a user to another identity provider. The resource version stays. Faults: USER_NOT_FOUND,
// PERMISSION_DENIED when the user is not at the source.
func (d *DB) MoveUser(ctx context.Context, id, source, target string) error {
	return d.changeUser(ctx, id, func(tx *Tx) error {
		user, err := tx.lockUser(ctx, "updating user", id)
		if err != nil {
			return err
		}
		if user.IdentityProviderID != source {
			return fault.PermissionDenied.New("User %q belongs to identity provider %s, not %s",
				id, strconv.Quote(user.IdentityProviderID), strconv.Quote(source))
		}
		user.IdentityProviderID = target
		return tx.storeUser(ctx, user)
	})
}

// DeleteUser deletes a user and its rights. Fault: USER_NOT_FOUND.
func (d *DB) DeleteUser(ctx context.Context, id string) error {
	return d.changeUser(ctx, id, func(tx *Tx) error {
		deleted, err := tx.queries.DeleteUser(ctx, id)
		if err == nil && deleted == 0 {
			return fault.UserNotFoundWhen("deleting user", id)
		}
		return failed("deleting user", err)
	})
}

// changeUser runs a change of one user or its rights, and tells the watchers.
func (d *DB) changeUser(ctx context.Context, id string, change func(*Tx) error) error {
	err := d.InTx(ctx, func(tx *Tx) error {
		if err := change(tx); err != nil {
			return err
		}
		return failed("announcing the change of a user", tx.queries.NotifyUser(ctx, id))
	})
	if err == nil {
		d.userChanged(id)
	}
	return err
}

// lockUser finds a user and keeps others from changing it or its rights. The operation is for USER_NOT_FOUND.
func (t *Tx) lockUser(ctx context.Context, operation, id string) (ledger.User, error) {
	row, err := t.queries.LockUser(ctx, id)
	if isNoRows(err) {
		return ledger.User{}, fault.UserNotFoundWhen(operation, id)
	}
	if err != nil {
		return ledger.User{}, failed(operation, err)
	}
	return fromDBUser(row)
}

func (t *Tx) storeUser(ctx context.Context, user ledger.User) error {
	annotations, err := toDBAnnotations(user.Annotations)
	if err != nil {
		return failed("writing annotations", err)
	}
	return failed("updating user", t.queries.UpdateUser(ctx, dbgen.UpdateUserParams{
		ID:                         user.ID,
		PrimaryParty:               string(user.PrimaryParty),
		IsDeactivated:              user.IsDeactivated,
		ResourceVersion:            user.ResourceVersion,
		Annotations:                annotations,
		IdentityProviderID:         user.IdentityProviderID,
		PrimaryPartyAuthentication: user.PrimaryPartyAuthentication,
	}))
}
