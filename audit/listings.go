package audit

import (
	"context"
	"fmt"

	"github.com/florinledger/florin/db"
)

// Readers find the contracts of a party in table active_contracts, which copies columns of table contracts. These
// functions compare the two tables in both directions.

// compareContracts reports active contracts of table contracts whose stakeholders differ from those in table
// active_contracts.
func (a *Auditor) compareContracts(ctx context.Context, state *State) error {
	for after := (db.Position{}); ; {
		page, err := a.record.ActiveListings(ctx, after, listingsPage)
		if err != nil {
			return err
		}
		for _, contract := range page {
			after = contract.Position
			if contract.Stakeholders > 0 {
				state.report(Finding{
					Rule: Unchanged, Offset: contract.Position.Offset, ContractID: contract.ContractID, Detail: fmt.Sprintf(
						"tables active_contracts and contracts differ for %d stakeholders of the contract",
						contract.Stakeholders),
				})
			}
		}
		if len(page) < listingsPage {
			return nil
		}
	}
}

// compareList reports rows of table active_contracts that match no active contract and stakeholder in table contracts.
func (a *Auditor) compareList(ctx context.Context, state *State) error {
	for after := (db.Listing{}); ; {
		page, err := a.record.Listings(ctx, after, listingsPage)
		if err != nil {
			return err
		}
		for _, listing := range page {
			after = listing
			if listing.Stray {
				state.report(Finding{
					Rule: Unchanged, Offset: listing.Position.Offset, ContractID: listing.ContractID, Party: listing.Party,
					Detail: "table active_contracts lists the contract for a party that is no stakeholder, or it is not active",
				})
			}
		}
		if len(page) < listingsPage {
			return nil
		}
	}
}

// compareTraffic compares the traffic that each member bought, by its contracts, with table member_traffic.
func (a *Auditor) compareTraffic(ctx context.Context, state *State) error {
	wrong, err := a.record.MiscountedTraffic(ctx, maxFindings)
	for _, member := range wrong {
		state.report(Finding{Rule: Conserved, Offset: state.Offset, Detail: fmt.Sprintf(
			"table member_traffic has %s bytes in %d contracts for member %s, but its contracts have %s bytes in %d",
			member.KeptPurchased, member.KeptContracts, member.Account, member.Purchased, member.Contracts)})
	}
	return err
}
