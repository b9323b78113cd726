package db

import (
	"context"
	"time"

	"github.com/florinledger/florin/ledger"
)

// Hosting is a party that the node begins to host.
type Hosting struct {
	Details ledger.PartyDetails
	// GrantTo is the user who gets the right to act as the party; "" for nobody.
	GrantTo string
	// Now is the node's time.
	Now time.Time
	// Entry makes the topology transaction for its place in the record.
	Entry func(ledger.Position) ledger.Update
}

// HostParty allocates a party as [DB.AllocateParty] does, and enters it in the record: readers of topology
// transactions learn of it. Both happen or neither.
func (d *DB) HostParty(ctx context.Context, hosting Hosting) (ledger.PartyDetails, error) {
	return d.allocate(ctx, hosting.Details, hosting.GrantTo, func(tx *Tx) error { return tx.enterHosting(ctx, hosting) })
}

// enterHosting tells of a new party in the record.
func (t *Tx) enterHosting(ctx context.Context, hosting Hosting) error {
	head, err := t.LockHead(ctx)
	if err != nil {
		return err
	}
	head = head.Next(hosting.Now)
	update := hosting.Entry(ledger.Position{Offset: head.Offset, RecordTime: head.RecordTime})
	return t.Append(ctx, Entries{Updates: []ledger.Update{update}, Head: head})
}
