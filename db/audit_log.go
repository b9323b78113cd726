package db

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/florinledger/florin/db/dbgen"
	"github.com/florinledger/florin/ledger"
)

// LogEntry is an entry of the audit log: one change of a user, a right, a party, an identity provider, a package, a
// setting or a webhook. Triggers write it in the transaction of the change (schema, log_change), so that no statement, not even one
// of an administrator with psql, changes these without an entry.
type LogEntry struct {
	ID int64
	At time.Time
	// Kind is user, right, party, identity-provider, package, setting or webhook; Action is create, change, delete, and
	// grant or revoke for rights.
	Kind, Action string
	// Subject is the id of the user, party, identity provider, package or webhook, the name of the setting, or the user of
	// a right.
	Subject string
	// Party is the party of a right, a wallet's setting, a webhook, or a user's primary party; empty for none.
	Party ledger.Party
	// Before and After are the changed fields, JSON objects; nil where the subject did not exist.
	Before, After []byte
	// By is the user who made the change; the zero value for the node itself and for others with access to the database.
	By ledger.Identity
	// Program is the name of the connection: florin, or another program such as psql.
	Program string
	Origin  ledger.Origin
}

// LogFilter chooses entries. Zero values choose all.
type LogFilter struct {
	Kind string
	// UserID chooses changes of a user and its rights, By those that a user made.
	UserID, By string
	// Party is a party, or a text without ::, the name of parties.
	Party string
	// Since and Until are the times of the oldest entry and after the newest.
	Since, Until time.Time
}

// AuditLog pages through the entries before a number, the newest first.
func (r Reader) AuditLog(ctx context.Context, filter LogFilter, before int64, limit int32) ([]LogEntry, error) {
	if filter.Until.IsZero() {
		filter.Until = endOfTime
	}
	first, last := partiesOf(filter.Party)
	rows, err := r.queries.ListAuditLog(ctx, dbgen.ListAuditLogParams{
		BeforeID: before, Kind: filter.Kind, UserID: filter.UserID, FirstParty: first, LastParty: last, ChangedBy: filter.By,
		Since: filter.Since, Until: filter.Until, CountMax: limit,
	})
	entries := make([]LogEntry, len(rows))
	for i, row := range rows {
		entries[i] = LogEntry{
			ID: row.EntryID, At: row.ChangedAt.UTC(), Kind: row.Kind, Action: row.Action, Subject: row.Subject,
			Party: row.Party, Before: row.Before, After: row.After,
			By:      ledger.Identity{IdentityProviderID: row.IdentityProviderID, UserID: row.UserID},
			Program: row.Program,
			Origin:  ledger.Origin{Addresses: row.Addresses, Operation: row.Operation, TraceID: row.TraceID},
		}
	}
	return entries, failed("listing the audit log", err)
}

// endOfTime is later than any entry, and a time that PostgreSQL knows.
var endOfTime = time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)

// beginFor is the statement that begins a transaction of a caller and tells the triggers of the audit log who it is. It
// is one round trip, as any begin. The hexadecimal form needs no quotes.
func beginFor(caller Caller) (string, error) {
	name, err := json.Marshal(struct {
		UserID             string `json:"userId"`
		IdentityProviderID string `json:"identityProviderId"`
		ledger.Origin
	}{caller.UserID, caller.IdentityProviderID, caller.Origin})
	return fmt.Sprintf("begin isolation level read committed; "+
		"select set_config('florin.caller', convert_from(decode('%s', 'hex'), 'UTF8'), true)", hex.EncodeToString(name)), err
}
