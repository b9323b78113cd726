package db

import (
	"context"

	"github.com/florinledger/florin/db/dbgen"
	"github.com/florinledger/florin/ledger"
)

// Mislisted counts the stakeholders of a contract for whom the list of active contracts differs from the record of
// contracts.
type Mislisted struct {
	ContractID ledger.ContractID
	Position   Position
	// Stakeholders is 0 for a contract that is listed as it should be.
	Stakeholders int64
}

// ActiveListings pages through all active contracts, and compares each with the list of active contracts.
func (r Reader) ActiveListings(ctx context.Context, after Position, limit int32) ([]Mislisted, error) {
	rows, err := r.queries.ListMislisted(ctx, dbgen.ListMislistedParams{
		AfterOffset: int64(after.Offset), AfterNodeID: after.NodeID, CountMax: limit,
	})
	out := make([]Mislisted, len(rows))
	for i, row := range rows {
		out[i] = Mislisted{
			ContractID: row.ContractID, Position: Position{Offset: row.CreatedOffset, NodeID: row.CreatedNodeID},
			Stakeholders: row.Mislisted,
		}
	}
	return out, failed("comparing contracts with the list of active ones", err)
}

// Listing is a row of the list of active contracts.
type Listing struct {
	Party      ledger.Party
	ContractID ledger.ContractID
	Position   Position
	// Stray: there is no such active contract, or the party is not one of its stakeholders.
	Stray bool
}

// Listings pages through the list of active contracts, and compares each row with the record of contracts. The zero
// Listing is before the first.
func (r Reader) Listings(ctx context.Context, after Listing, limit int32) ([]Listing, error) {
	rows, err := r.queries.ListStrays(ctx, dbgen.ListStraysParams{
		AfterParty: string(after.Party), AfterOffset: int64(after.Position.Offset), AfterNodeID: after.Position.NodeID,
		CountMax: limit,
	})
	out := make([]Listing, len(rows))
	for i, row := range rows {
		out[i] = Listing{
			Party: row.Party, ContractID: row.ContractID, Stray: row.IsStray,
			Position: Position{Offset: row.CreatedOffset, NodeID: row.CreatedNodeID},
		}
	}
	return out, failed("comparing the list of active contracts with contracts", err)
}

// Unlisted is an entry of the record that a party does not find, or an update that is not in the party's history.
type Unlisted struct {
	Party  ledger.Party
	Offset ledger.Offset
	// OnlyHistory: the party finds the update, but not in its history.
	OnlyHistory bool
}

// UnlistedCompletions finds the completions of a range of offsets that are missing in the list of an acting party.
func (r Reader) UnlistedCompletions(ctx context.Context, after, upTo ledger.Offset) ([]Unlisted, error) {
	rows, err := r.queries.ListUnlistedCompletions(ctx, dbgen.ListUnlistedCompletionsParams{After: after, UpTo: upTo})
	out := make([]Unlisted, len(rows))
	for i, row := range rows {
		out[i] = Unlisted{Party: ledger.Party(row.Party), Offset: row.LedgerOffset}
	}
	return out, failed("comparing completions with the list of their parties", err)
}

// UnlistedUpdates finds updates that are missing in the list of a party that sees them; history says in whose histories
// they may be. It also counts the pairs of an update and a party.
func (r Reader) UnlistedUpdates(
	ctx context.Context, updates []ledger.Update, history map[ledger.Offset][]ledger.Party,
) (unlisted []Unlisted, pairs int, err error) {
	seen := toDBUpdateParties(Entries{Updates: updates, History: history})
	rows, err := r.queries.ListUnlistedUpdates(ctx, dbgen.ListUnlistedUpdatesParams(seen))
	for _, row := range rows {
		unlisted = append(unlisted, Unlisted{
			Party: ledger.Party(row.Party), Offset: ledger.Offset(row.LedgerOffset), OnlyHistory: row.IsListed,
		})
	}
	return unlisted, len(seen.Parties), failed("comparing updates with the list of who sees them", err)
}

// UnlistedExecutions finds the transactions of a range of offsets that were signed outside the node, and could be
// executed again because they are missing in the list of executed transactions.
func (r Reader) UnlistedExecutions(ctx context.Context, after, upTo ledger.Offset) ([]ledger.Offset, error) {
	offsets, err := r.queries.ListUnlistedExecutions(ctx, dbgen.ListUnlistedExecutionsParams{
		After: after, UpTo: upTo, RetentionSeconds: ledger.ExecutedRetention.Seconds(),
	})
	return offsets, failed("comparing signed transactions with the list of those that were executed", err)
}

// Listed counts the entries of a listing.
type Listed struct {
	// Within counts the entries of a range of offsets; of executed_transactions it counts only those without an update in
	// the range that was signed outside the node.
	Within int64
	// Outside counts the entries of offsets that the record does not have.
	Outside int64
}

// CountListed counts the entries of listings, by the names of their tables; those without entries are absent. It reads
// all of them.
func (r Reader) CountListed(ctx context.Context, after, upTo ledger.Offset) (map[string]Listed, error) {
	rows, err := r.queries.CountListed(ctx, dbgen.CountListedParams{After: int64(after), UpTo: int64(upTo)})
	listed := make(map[string]Listed, len(rows))
	for _, row := range rows {
		listed[row.Listing] = Listed{Within: row.Within, Outside: row.Outside}
	}
	return listed, failed("counting the entries of listings", err)
}
