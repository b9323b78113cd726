package db

import (
	"context"

	"github.com/florinledger/florin/db/dbgen"
	"github.com/florinledger/florin/ledger"
)

// TrafficMoves are the contracts by which traffic of members came and went: what they say is added up for each member.
type TrafficMoves struct{ Created, Archived []ledger.ContractID }

// queueTraffic adds up what members have after the commit. The contracts are there before.
func (p *pipeline) queueTraffic(ctx context.Context, entries Entries) error {
	if len(entries.Traffic.Created)+len(entries.Traffic.Archived) == 0 {
		return nil
	}
	return p.queries().AddMemberTraffic(ctx, dbgen.AddMemberTrafficParams{
		Created: ledger.Strings(entries.Traffic.Created), Archived: ledger.Strings(entries.Traffic.Archived),
	})
}

// MemberTraffic is what was bought for a member of a synchronizer; false when nothing was.
func (r Reader) MemberTraffic(ctx context.Context, member, synchronizer string) (int64, bool, error) {
	purchased, err := r.queries.GetMemberTraffic(ctx, dbgen.GetMemberTrafficParams{
		Member: member, Synchronizer: synchronizer,
	})
	if isNoRows(err) {
		return 0, false, nil
	}
	return purchased, err == nil, failed("reading the traffic of a member", err)
}

// MiscountedTraffic is a member whose contracts add up to something else than what is kept of it. Amounts are in bytes.
type MiscountedTraffic struct {
	// Account is the digest by which the member is kept.
	Account                  string
	KeptContracts, Contracts int64
	KeptPurchased, Purchased string
}

// MiscountedTraffic lists some of the members of which the wrong is kept.
func (r Reader) MiscountedTraffic(ctx context.Context, limit int32) ([]MiscountedTraffic, error) {
	rows, err := r.queries.ListMiscountedTraffic(ctx, limit)
	found := make([]MiscountedTraffic, len(rows))
	for i, row := range rows {
		found[i] = MiscountedTraffic{
			Account: row.Account, KeptContracts: row.KeptContracts, Contracts: row.SaidContracts,
			KeptPurchased: row.KeptPurchased, Purchased: row.SaidPurchased,
		}
	}
	return found, failed("comparing the traffic of members", err)
}
