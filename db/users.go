package db

import (
	"context"
	"slices"
	"strconv"

	"github.com/florinledger/florin/db/dbgen"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// CreateUser stores a new user with rights and returns it as stored, at resource version 0. Repeated rights count once.
// Faults: USER_ALREADY_EXISTS, TOO_MANY_USER_RIGHTS.
func (d *DB) CreateUser(ctx context.Context, user ledger.User, rights []ledger.Right) (ledger.User, error) {
	var created ledger.User
	err := d.changeUser(ctx, user.ID, func(tx *Tx) error {
		if err := tx.insertUser(ctx, user); err != nil {
			return err
		}
		if err := tx.forgetDeletion(ctx, user.Identity()); err != nil {
			return err
		}
		if _, err := tx.grant(ctx, user.ID, rights); err != nil {
			return err
		}
		var err error
		created, _, err = tx.User(ctx, user.Identity())
		return err
	})
	return created, err
}

func (t *Tx) insertUser(ctx context.Context, user ledger.User) error {
	annotations, err := toDBAnnotations(user.Annotations)
	if err != nil {
		return failed("writing annotations", err)
	}
	inserted, err := t.queries.InsertUser(ctx, dbgen.InsertUserParams{
		ID:                         user.ID,
		PrimaryParty:               string(user.PrimaryParty),
		IsDeactivated:              user.IsDeactivated,
		Annotations:                annotations,
		IdentityProviderID:         user.IdentityProviderID,
		PrimaryPartyAuthentication: user.PrimaryPartyAuthentication,
	})
	if err == nil && inserted == 0 {
		return fault.UserAlreadyExistsNamed(user.ID)
	}
	return failed("creating user", err)
}

func (t *Tx) forgetDeletion(ctx context.Context, who ledger.Identity) error {
	return failed("forgetting a deletion", t.queries.ForgetDeletedUser(ctx, dbgen.ForgetDeletedUserParams{
		IdentityProviderID: who.IdentityProviderID, UserID: who.UserID,
	}))
}

func (t *Tx) noteDeletion(ctx context.Context, who ledger.Identity) error {
	return failed("noting a deletion", t.queries.NoteDeletedUser(ctx, dbgen.NoteDeletedUserParams{
		IdentityProviderID: who.IdentityProviderID, UserID: who.UserID,
	}))
}

// User finds a user; false if its identity provider has no user with this id, even if another one has.
func (r Reader) User(ctx context.Context, who ledger.Identity) (ledger.User, bool, error) {
	return fromDBFoundUser(r.queries.GetUser(ctx, dbgen.GetUserParams{
		IdentityProviderID: who.IdentityProviderID, ID: who.UserID,
	}))
}

// UserNamed finds the user with an id at any identity provider: for callers whose rights reach all of them.
func (r Reader) UserNamed(ctx context.Context, id string) (ledger.User, bool, error) {
	return fromDBFoundUser(r.queries.GetUserNamed(ctx, id))
}

func fromDBFoundUser(row dbgen.User, err error) (ledger.User, bool, error) {
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

// UpdateUser changes a user: change edits the user; its error ends the update. The id cannot change, and the resource
// version grows by one. With an expected resource version the user must be at that version. Faults: USER_NOT_FOUND,
// CONCURRENT_USER_UPDATE_DETECTED, and those of change.
func (d *DB) UpdateUser(
	ctx context.Context, id string, expected *int64, change func(*ledger.User) error, guards ...UserGuard,
) (ledger.User, error) {
	var user ledger.User
	err := d.changeUser(ctx, id, func(tx *Tx) error {
		var err error
		if user, err = tx.lockUser(ctx, "updating user", id, guards...); err != nil {
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
//
// The user loses its primary party unless it may act as it: an administrator of the source chose the party, and the
// target must not rely on that. The wallet and the webhooks move with the user. Earlier submissions and idempotency keys stay with the
// former identity, which cannot register itself again.
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
		former := user.Identity()
		user.IdentityProviderID = target
		rights, err := tx.UserRights(ctx, id)
		if err != nil {
			return err
		}
		if !slices.Contains(rights, ledger.Right{Kind: ledger.CanActAs, Party: user.PrimaryParty}) {
			user.PrimaryParty = ""
		}
		if err := tx.storeUser(ctx, user); err != nil {
			return err
		}
		if err := tx.moveWallet(ctx, former, user.Identity()); err != nil {
			return err
		}
		if err := tx.moveWebhooks(ctx, former, user.Identity()); err != nil {
			return err
		}
		if err := tx.noteDeletion(ctx, former); err != nil {
			return err
		}
		return tx.forgetDeletion(ctx, user.Identity())
	})
}

// DeleteUser deletes a user and its rights, and remembers that: the user cannot register itself again. Faults:
// USER_NOT_FOUND, and those of the guards.
func (d *DB) DeleteUser(ctx context.Context, id string, guards ...UserGuard) error {
	return d.changeUser(ctx, id, func(tx *Tx) error {
		user, err := tx.lockUser(ctx, "deleting user", id, guards...)
		if err != nil {
			return err
		}
		if _, err := tx.queries.DeleteUser(ctx, id); err != nil {
			return failed("deleting user", err)
		}
		if err := tx.deleteWebhooksOf(ctx, user.Identity()); err != nil {
			return err
		}
		return tx.noteDeletion(ctx, user.Identity())
	})
}

// UserGuard refuses changes of some users. It gets the user as it is before the change.
type UserGuard func(UserReach) error

// UserReach says how far the rights of a user reach.
type UserReach struct {
	User   ledger.User
	Rights []ledger.Right
	// Providers are the identity providers of the parties in the rights. Unknown parties are absent.
	Providers map[ledger.Party]string
}

// CheckReach asks the guards about a user; nil guards refuse nobody.
func (r Reader) CheckReach(ctx context.Context, user ledger.User, guards ...UserGuard) error {
	guards = slices.DeleteFunc(slices.Clone(guards), func(guard UserGuard) bool { return guard == nil })
	if len(guards) == 0 {
		return nil
	}
	rights, err := r.UserRights(ctx, user.ID)
	if err != nil {
		return err
	}
	reach := UserReach{User: user, Rights: rights, Providers: map[ledger.Party]string{}}
	var named []ledger.Party
	for _, right := range rights {
		if right.Kind.HasParty() {
			named = append(named, right.Party)
		}
	}
	parties, err := r.Parties(ctx, ledger.SortedParties(named))
	if err != nil {
		return err
	}
	for _, party := range parties {
		reach.Providers[party.Party] = party.IdentityProviderID
	}
	for _, guard := range guards {
		if err := guard(reach); err != nil {
			return err
		}
	}
	return nil
}

// WithinReachOf is the guard of an administrator of an identity provider: it refuses users of other providers, and
// those with a right that the administrator could not give. It does not check changes of the administrator itself:
// others do.
func WithinReachOf(caller ledger.Identity) UserGuard {
	return func(target UserReach) error {
		switch {
		case target.User.IdentityProviderID != caller.IdentityProviderID:
			return notOfProvider(target.User.ID, caller.IdentityProviderID)
		case target.User.ID == caller.UserID:
			return nil
		}
		for _, right := range target.Rights {
			if !givenWithin(right, target.Providers, caller.IdentityProviderID) {
				return fault.PermissionDenied.New("User %q has the right %s, which only a ParticipantAdmin may give: ask one "+
					"to change the user", target.User.ID, right.Kind)
			}
		}
		return nil
	}
}

// notOfProvider is the answer for a user of another identity provider.
func notOfProvider(userID, identityProviderID string) error {
	return fault.PermissionDenied.New("The identity provider %q has no user %q", identityProviderID, userID)
}

// givenWithin reports whether an administrator of the identity provider may give the right.
func givenWithin(right ledger.Right, providers map[ledger.Party]string, identityProviderID string) bool {
	switch right.Kind {
	case ledger.CanActAs, ledger.CanReadAs, ledger.CanExecuteAs:
		of, known := providers[right.Party]
		return known && of == identityProviderID
	case ledger.IdentityProviderAdmin:
		return true
	default:
		return false
	}
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

// lockUser finds a user and lets nobody else change it or its rights, unless a guard refuses. The operation is for the
// text of USER_NOT_FOUND.
func (t *Tx) lockUser(ctx context.Context, operation, id string, guards ...UserGuard) (ledger.User, error) {
	row, err := t.holdUser(ctx, id)
	if isNoRows(err) {
		return ledger.User{}, fault.UserNotFoundWhen(operation, id)
	}
	if err != nil {
		return ledger.User{}, err
	}
	user, err := fromDBUser(row)
	if err != nil {
		return ledger.User{}, err
	}
	return user, t.CheckReach(ctx, user, guards...)
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
