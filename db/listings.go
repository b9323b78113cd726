package db

import (
	"context"

	"github.com/florinledger/florin/db/dbgen"
	"github.com/florinledger/florin/ledger"
)

// Mislisted says for how many of its stakeholders the list of active contracts does not say of a contract what the
// record of contracts says.
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
