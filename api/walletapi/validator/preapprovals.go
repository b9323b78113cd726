package validator

import (
	"context"

	v0 "github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/wallet/provided"
)

// ProvidedTransferPreapprovalResponse is a preapproval.
type ProvidedTransferPreapprovalResponse struct {
	TransferPreapproval v0.ContractWithState `json:"transfer_preapproval" required:"true" doc:"The preapproval"`
}

// ListContractsResponse has contracts.
type ListContractsResponse struct {
	Contracts []v0.ContractWithState `json:"contracts" required:"true" doc:"Oldest first; at most 1000"`
}

// CheckProvided returns an error if the operator does not pay for a preapproval of the receiver. The commit applies the
// same rule.
func (b *Base) CheckProvided(ctx context.Context, receiver ledger.Party) error {
	settings, err := b.record.LedgerSettings(ctx)
	if err != nil {
		return err
	}
	rule := provided.Rule{Operator: b.Node.Operator, Max: settings.MaxProvidedParties, Now: b.Now()}
	book, err := b.record.ProvidedPreapprovals(ctx, rule.Now, receiver)
	if err != nil {
		return err
	}
	if refusal := rule.Check(provided.Book(book), receiver); refusal != nil {
		return refusal
	}
	return nil
}

// ProposalFor finds the operator's proposal to a party.
func (b *Base) ProposalFor(
	ctx context.Context, party ledger.Party,
) (found Contract[coin.ExternalPartySetupProposal], ok bool, err error) {
	err = EachActive(ctx, b, party, func(c Contract[coin.ExternalPartySetupProposal]) bool {
		if c.Payload.User == party && c.Payload.Validator == b.Node.Operator {
			found, ok = c, true
		}
		return !ok
	})
	return found, ok, err
}

// ProvidedTo finds the preapproval that the operator provides for a party and that lasts longest.
func (b *Base) ProvidedTo(
	ctx context.Context, party ledger.Party,
) (found Contract[coin.TransferPreapproval], ok bool, err error) {
	return b.PreapprovalTo(ctx, party, func(p coin.TransferPreapproval) bool { return p.Provider == b.Node.Operator })
}

// PreapprovalTo finds the wanted preapproval of a receiver that lasts longest.
func (b *Base) PreapprovalTo(
	ctx context.Context, receiver ledger.Party, wanted func(coin.TransferPreapproval) bool,
) (found Contract[coin.TransferPreapproval], ok bool, err error) {
	err = EachActive(ctx, b, receiver, func(c Contract[coin.TransferPreapproval]) bool {
		if c.Payload.Receiver == receiver && wanted(c.Payload) && (!ok || c.Payload.ExpiresAt > found.Payload.ExpiresAt) {
			found, ok = c, true
		}
		return true
	})
	return found, ok, err
}

// Listed returns contracts as a list.
func (b *Base) Listed(contracts []ledger.Contract) (ListContractsResponse, error) {
	shown, err := v0.ToAPIContractsWithState(b.Packages, contracts, b.Node.SynchronizerID)
	return ListContractsResponse{Contracts: shown}, err
}

// NoPreapproval is the 404 for a missing preapproval (upstream's text).
func NoPreapproval(party ledger.Party) error {
	return v0.NotFound("No TransferPreapproval found for party: %s", party)
}
