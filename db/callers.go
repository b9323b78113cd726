package db

import (
	"context"

	"github.com/florinledger/florin/db/dbgen"
	"github.com/florinledger/florin/ledger"
)

// Caller is in whose name something is changed.
type Caller struct {
	ledger.Identity

	// Check refuses the caller by the rights that it has in the transaction that makes the change. A user who is not
	// there, or whose identity provider is deactivated, has none, and its id is "". Nil refuses nobody.
	Check func(user ledger.User, rights []ledger.Right) error
	// Turn waits until the caller may have a transaction begin; release is called when it has ended. Nil waits for
	// nothing.
	Turn func(ctx context.Context) (release func(), err error)
}

type callerKey struct{}

// ForCaller is a context whose transactions are in the name of a caller. Each asks for the caller's rights, and nobody
// takes them away between that and its commit.
func ForCaller(ctx context.Context, caller Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, caller)
}

// TakeTurn waits for the turn of the caller in whose name the transactions of a context are; nobody has none to wait
// for.
func TakeTurn(ctx context.Context) (release func(), err error) {
	caller := callerOf(ctx)
	if caller == nil || caller.Turn == nil {
		return func() {}, nil
	}
	return caller.Turn(ctx)
}

// callerOf is in whose name the transactions of a context are; nil for nobody's.
func callerOf(ctx context.Context) *Caller {
	if caller, ok := ctx.Value(callerKey{}).(Caller); ok {
		return &caller
	}
	return nil
}

// holdUser finds a user and keeps others from changing it or its rights until the transaction ends; no rows when there
// is none. The caller is asked about before that: what the transaction does to the user may take the caller's own
// rights. Rows are locked in the order of their ids, so that users who change one another do not wait for each other
// for ever.
func (t *Tx) holdUser(ctx context.Context, id string) (row dbgen.User, err error) {
	if t.caller != nil && t.caller.UserID < id {
		if err := t.askCaller(ctx); err != nil {
			return dbgen.User{}, err
		}
	}
	row, err = t.queries.LockUser(ctx, id)
	if err != nil && !isNoRows(err) {
		return dbgen.User{}, failed("locking a user", err)
	}
	if refusal := t.askCaller(ctx); refusal != nil {
		return dbgen.User{}, refusal
	}
	return row, err
}

// askCaller asks for the rights of the caller unless that was done in this transaction.
func (t *Tx) askCaller(ctx context.Context) error {
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
