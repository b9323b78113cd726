package audit

import (
	"context"
	"fmt"

	"github.com/florinledger/florin/db"
)

// Readers find the contracts of a party in a list, which is a copy of what the record of contracts says. These two
// compare one with the other, each way.

// compareContracts looks up every active contract in the list.
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
						"active_contracts does not say what contracts says, for %d stakeholders of the contract",
						contract.Stakeholders),
				})
			}
		}
		if len(page) < listingsPage {
			return nil
		}
	}
}

// compareList looks up every entry of the list among the active contracts.
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
					Detail: "active_contracts lists the contract for a party that is no stakeholder of it, or it is not active",
				})
			}
		}
		if len(page) < listingsPage {
			return nil
		}
	}
}

// compareTraffic adds up what the contracts say that was bought for each member, and compares with what is kept of it.
func (a *Auditor) compareTraffic(ctx context.Context, state *State) error {
	wrong, err := a.record.MiscountedTraffic(ctx, maxFindings)
	for _, member := range wrong {
		state.report(Finding{Rule: Conserved, Offset: state.Offset, Detail: fmt.Sprintf(
			"member_traffic keeps %s bytes in %d contracts of the member %s, but its contracts say %s in %d",
			member.KeptPurchased, member.KeptContracts, member.Account, member.Purchased, member.Contracts)})
	}
	return err
}
