package db

import (
	"context"

	"github.com/florinledger/florin/db/dbgen"
	"github.com/florinledger/florin/ledger"
)

// Caller is the user in whose name a transaction makes a change.
type Caller struct {
	ledger.Identity

	// Origin is for the audit log.
	Origin ledger.Origin
	// Check refuses the caller by its rights, read in the transaction that makes the change. A user who does not exist, or
	// whose identity provider is deactivated, has no rights and the id "". Nil refuses nobody.
	Check func(user ledger.User, rights []ledger.Right) error
	// Turn waits until the caller may begin a transaction; [DB.InTx] calls release when the transaction has ended. Nil
	// does not wait.
	Turn func(ctx context.Context) (release func(), err error)
}

type callerKey struct{}

// ForCaller returns a context whose transactions run in the name of a caller. Each transaction checks the caller's
// rights, and nobody can take them away between the check and the commit.
func ForCaller(ctx context.Context, caller Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, caller)
}

// TakeTurn waits for the turn of the caller of a context. Without a caller it does not wait.
func TakeTurn(ctx context.Context) (release func(), err error) {
	caller := callerOf(ctx)
	if caller == nil || caller.Turn == nil {
		return func() {}, nil
	}
	return caller.Turn(ctx)
}

// callerOf returns nil for a context without a caller.
func callerOf(ctx context.Context) *Caller {
	if caller, ok := ctx.Value(callerKey{}).(Caller); ok {
		return &caller
	}
	return nil
}

// holdUser finds a user and lets nobody else change it or its rights until the transaction ends; no rows if there is
// none. It checks the caller before the transaction changes the user, because the change may take the caller's own
// rights. It locks rows in the order of their ids, so that users who change one another do not deadlock.
func (t *Tx) holdUser(ctx context.Context, id string) (row dbgen.User, err error) {
	if t.caller != nil && t.caller.UserID < id {
		if err := t.checkCaller(ctx); err != nil {
			return dbgen.User{}, err
		}
	}
	row, err = t.queries.LockUser(ctx, id)
	if err != nil && !isNoRows(err) {
		return dbgen.User{}, failed("locking a user", err)
	}
	if refusal := t.checkCaller(ctx); refusal != nil {
		return dbgen.User{}, refusal
	}
	return row, err
}

// checkCaller checks the rights of the caller once in a transaction.
func (t *Tx) checkCaller(ctx context.Context) error {
	caller := t.caller
	t.caller = nil
	if caller == nil || caller.Check == nil {
		return nil
	}
	if caller.IdentityProviderID != "" {
		if err := t.queries.ShareIdentityProvider(ctx, caller.IdentityProviderID); err != nil {
			return failed("reading the identity provider of the caller of a change", err)
		}
	}
	row, err := t.queries.ShareUser(ctx, dbgen.ShareUserParams{
		IdentityProviderID: caller.IdentityProviderID, ID: caller.UserID,
	})
	if isNoRows(err) {
		return caller.Check(ledger.User{}, nil)
	}
	if err != nil {
		return failed("reading the caller of a change", err)
	}
	user, err := fromDBUser(row)
	if err != nil {
		return err
	}
	rights, err := t.UserRights(ctx, caller.UserID)
	if err != nil {
		return err
	}
	return caller.Check(user, rights)
}
