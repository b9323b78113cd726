package db

import (
	"context"

	"github.com/florinledger/florin/db/dbgen"
	"github.com/florinledger/florin/ledger"
)

// TrafficMoves are contracts that stand for traffic of members: the node adds them up for each member.
type TrafficMoves struct{ Created, Archived []ledger.ContractID }

// queueTraffic adds up the traffic of members. The contracts must be stored before.
func (p *pipeline) queueTraffic(ctx context.Context, entries Entries) error {
	if len(entries.Traffic.Created)+len(entries.Traffic.Archived) == 0 {
		return nil
	}
	return p.queries().AddMemberTraffic(ctx, dbgen.AddMemberTrafficParams{
		Created: ledger.Strings(entries.Traffic.Created), Archived: ledger.Strings(entries.Traffic.Archived),
	})
}

// MemberTraffic is the traffic that was bought for a member of a synchronizer; false without a purchase.
func (r Reader) MemberTraffic(ctx context.Context, member, synchronizer string) (int64, bool, error) {
	purchased, err := r.queries.GetMemberTraffic(ctx, dbgen.GetMemberTrafficParams{
		Member: member, Synchronizer: synchronizer,
	})
	if isNoRows(err) {
		return 0, false, nil
	}
	return purchased, err == nil, failed("reading the traffic of a member", err)
}

// MiscountedTraffic is a member whose contracts do not add up to the stored sum. Amounts are in bytes.
type MiscountedTraffic struct {
	// Account is the digest that stands for the member.
	Account                  string
	KeptContracts, Contracts int64
	KeptPurchased, Purchased string
}

// MiscountedTraffic lists members with a wrong stored sum, up to a limit.
func (r Reader) MiscountedTraffic(ctx context.Context, limit int32) ([]MiscountedTraffic, error) {
	rows, err := r.queries.ListMiscountedTraffic(ctx, limit)
	members := make([]MiscountedTraffic, len(rows))
	for i, row := range rows {
		members[i] = MiscountedTraffic{
			Account: row.Account, KeptContracts: row.KeptContracts, Contracts: row.SaidContracts,
			KeptPurchased: row.KeptPurchased, Purchased: row.SaidPurchased,
		}
	}
	return members, failed("comparing the traffic of members", err)
}
