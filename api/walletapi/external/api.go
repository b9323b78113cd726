// Package external serves operators who work for external parties, which sign for themselves: /v0/admin/external-party.
package external

import (
	"context"

	"github.com/florinledger/florin/api/preview"
	"github.com/florinledger/florin/api/walletapi/validator"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/topology"
)

// PartyRecord reads from the database.
type PartyRecord interface {
	preview.ContractReader
	Head(ctx context.Context) (db.Head, error)
	ExternalParty(ctx context.Context, party ledger.Party) (db.ExternalParty, bool, error)
	// Namespaces finds the stored namespaces of external parties.
	Namespaces(ctx context.Context, names ...string) (topology.Namespaces, error)
	// CompletionsByHash finds the completions of a transaction that was signed outside the node.
	CompletionsByHash(
		ctx context.Context, hash string, parties []ledger.Party, limit int32,
	) ([]ledger.Completion, error)
}

// Onboarder onboards external parties.
type Onboarder interface {
	// Onboard passes a contribution to the onboarding of the party. With wait it returns the outcome.
	Onboard(
		ctx context.Context, party ledger.Party, contribution topology.Contribution, wait bool,
	) (topology.Outcome, error)
	// OnboardingOf is the id of the workflow that onboards the party.
	OnboardingOf(party ledger.Party) string
}

// API serves external parties.
type API struct {
	*validator.Base

	record    PartyRecord
	onboarder Onboarder
}

// New makes the API.
func New(base *validator.Base, record PartyRecord, onboarder Onboarder) *API {
	return &API{Base: base, record: record, onboarder: onboarder}
}
