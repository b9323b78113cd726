package db

import (
	"context"

	"github.com/florinledger/florin/db/dbgen"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// AllocateParty stores a new party and gives the right to act as it to a user, unless grantTo is "". It returns the
// party as stored, at resource version 0. It adds no entry to the record; [DB.HostParty] does. Faults (contract, POST
// /v2/parties): INVALID_ARGUMENT for a party that exists, USER_NOT_FOUND, TOO_MANY_USER_RIGHTS.
func (d *DB) AllocateParty(
	ctx context.Context, details ledger.PartyDetails, grantTo string,
) (ledger.PartyDetails, error) {
	return d.allocate(ctx, details, Grant{UserID: grantTo}, func(_ *Tx, store func() error) error { return store() })
}

// allocate calls within in a transaction; within calls store, which stores the party and the right to it.
func (d *DB) allocate(
	ctx context.Context, details ledger.PartyDetails, grant Grant, within func(tx *Tx, store func() error) error,
) (ledger.PartyDetails, error) {
	details.ResourceVersion = 0
	err := d.InTx(ctx, func(tx *Tx) error {
		return within(tx, func() error {
			if err := tx.insertParty(ctx, details); err != nil || grant.UserID == "" {
				return err
			}
			_, err := tx.grantParty(ctx, grant, details.Party, details.IdentityProviderID)
			return err
		})
	})
	if err == nil && grant.UserID != "" {
		d.userChanged(grant.UserID)
	}
	return details, err
}

func (t *Tx) insertParty(ctx context.Context, details ledger.PartyDetails) error {
	annotations, err := toDBAnnotations(details.Annotations)
	if err != nil {
		return failed("writing annotations", err)
	}
	inserted, err := t.queries.InsertParty(ctx, dbgen.InsertPartyParams{
		Party:              details.Party,
		IsLocal:            details.IsLocal,
		Annotations:        annotations,
		IdentityProviderID: details.IdentityProviderID,
	})
	if err == nil && inserted == 0 {
		return partyExists(details.Party)
	}
	return failed("allocating a party", err)
}

func partyExists(party ledger.Party) error {
	return fault.InvalidArgumentf("Party already exists: party %s is already allocated on this node", party)
}

// KnownParties tells which of the parties are known, and of those whether they are local. Unknown ones are absent.
func (r Reader) KnownParties(ctx context.Context, parties []ledger.Party) (map[ledger.Party]bool, error) {
	known, err := r.queries.ListKnownParties(ctx, ledger.Strings(parties))
	return fromDBKnownParties(known), failed("reading parties", err)
}

// Parties finds parties, in byte order of their ids. Those that do not exist are left out.
func (r Reader) Parties(ctx context.Context, parties []ledger.Party) ([]ledger.PartyDetails, error) {
	rows, err := r.queries.GetParties(ctx, ledger.Strings(parties))
	return fromDBPartyList(rows, err)
}

// ListParties lists the parties whose ids start with the prefix and are after the given one, in byte order of the ids.
// It lists those of all identity providers; the caller decides whose details to show.
func (r Reader) ListParties(
	ctx context.Context, prefix string, after ledger.Party, limit int32,
) ([]ledger.PartyDetails, error) {
	rows, err := r.queries.ListParties(ctx, dbgen.ListPartiesParams{Prefix: prefix, After: after, CountMax: limit})
	return fromDBPartyList(rows, err)
}

// UpdateParty changes the annotations of a local party: change gets the party as it is; its error ends the update. It
// can change only the annotations, and the resource version grows by one. With an expected resource version the party
// must be at that version. Faults: PARTY_NOT_FOUND, CONCURRENT_PARTY_DETAILS_UPDATE_DETECTED, and those of change.
func (d *DB) UpdateParty(
	ctx context.Context, party ledger.Party, expected *int64, change func(*ledger.PartyDetails) error,
) (ledger.PartyDetails, error) {
	var updated ledger.PartyDetails
	err := d.InTx(ctx, func(tx *Tx) error {
		current, err := tx.lockLocalParty(ctx, party)
		if err != nil {
			return err
		}
		if expected != nil && *expected != current.ResourceVersion {
			return fault.ConcurrentPartyDetailsUpdateDetected.
				New("Update operation for party '%s' failed due to a concurrent update: "+
					"resource version %d was expected, but it is %d", party, *expected, current.ResourceVersion).
				WithResource("PARTY", string(party))
		}
		changed := current
		if err := change(&changed); err != nil {
			return err
		}
		current.Annotations = changed.Annotations
		current.ResourceVersion++
		updated = current
		return tx.storeParty(ctx, current)
	})
	return updated, err
}

func (t *Tx) storeParty(ctx context.Context, details ledger.PartyDetails) error {
	annotations, err := toDBAnnotations(details.Annotations)
	if err != nil {
		return failed("writing annotations", err)
	}
	return failed("updating a party", t.queries.UpdateParty(ctx, dbgen.UpdatePartyParams{
		Party: details.Party, Annotations: annotations, ResourceVersion: details.ResourceVersion,
		IdentityProviderID: details.IdentityProviderID,
	}))
}

// MoveParty hands a local party to another identity provider. The resource version stays. Faults: PARTY_NOT_FOUND,
// PERMISSION_DENIED when the party is not at the source.
func (d *DB) MoveParty(ctx context.Context, party ledger.Party, source, target string) error {
	return d.InTx(ctx, func(tx *Tx) error {
		current, err := tx.lockLocalParty(ctx, party)
		if err != nil {
			return err
		}
		if current.IdentityProviderID != source {
			return fault.PermissionDenied.New("Party %q belongs to the identity provider %q, not to %q",
				party, current.IdentityProviderID, source)
		}
		current.IdentityProviderID = target
		return tx.storeParty(ctx, current)
	})
}

func (t *Tx) lockLocalParty(ctx context.Context, party ledger.Party) (ledger.PartyDetails, error) {
	row, err := t.queries.LockParty(ctx, party)
	if isNoRows(err) || err == nil && !row.IsLocal {
		return ledger.PartyDetails{}, fault.PartyNotFoundWhen("updating participant party", string(party))
	}
	if err != nil {
		return ledger.PartyDetails{}, failed("updating a party", err)
	}
	return fromDBParty(row)
}

func fromDBPartyList(rows []dbgen.Party, err error) ([]ledger.PartyDetails, error) {
	if err != nil {
		return nil, failed("reading parties", err)
	}
	parties := make([]ledger.PartyDetails, len(rows))
	for i, row := range rows {
		if parties[i], err = fromDBParty(row); err != nil {
			return nil, err
		}
	}
	return parties, nil
}
