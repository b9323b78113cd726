package db

import (
	"context"
	"time"

	"github.com/florinledger/florin/ledger"
)

// Hosting is a party that the node begins to host.
type Hosting struct {
	Details ledger.PartyDetails
	// Grant is for the user who gets the right to act as the party; the zero value for nobody.
	Grant Grant
	// Now is the node's time.
	Now time.Time
	// Entry makes the topology transaction for its position in the record.
	Entry func(ledger.Position) ledger.Update
}

// HostParty allocates a party as [DB.AllocateParty] does, and enters it in the record: readers of topology transactions
// learn of it. Both happen or neither. Nobody waits for a request that is refused.
func (d *DB) HostParty(ctx context.Context, hosting Hosting) (ledger.PartyDetails, error) {
	if err := d.mayHost(ctx, hosting); err != nil {
		return ledger.PartyDetails{}, err
	}
	return d.allocate(ctx, hosting.Details, hosting.Grant, func(tx *Tx, store func() error) error {
		return tx.enterHosting(ctx, hosting, store)
	})
}

// mayHost refuses a party that the node cannot host now, without a lock. The transaction checks again under the lock.
func (r Reader) mayHost(ctx context.Context, hosting Hosting) error {
	party := hosting.Details.Party
	known, err := r.KnownParties(ctx, []ledger.Party{party})
	if err != nil {
		return err
	}
	if _, exists := known[party]; exists {
		return partyExists(party)
	}
	return r.couldGet(ctx, hosting.Grant, party, hosting.Details.IdentityProviderID)
}

// enterHosting stores the party and enters it in the record. Like all transactions it locks the head before users.
func (t *Tx) enterHosting(ctx context.Context, hosting Hosting, store func() error) error {
	head, err := t.LockHead(ctx)
	if err != nil {
		return err
	}
	if err := store(); err != nil {
		return err
	}
	head = head.Next(hosting.Now)
	update := hosting.Entry(ledger.Position{Offset: head.Offset, RecordTime: head.RecordTime})
	return t.Append(ctx, Entries{Updates: []ledger.Update{update}, Head: head})
}
