package activities

import (
	"github.com/florinledger/florin/fault"
	"github.com/florinledger/florin/ledger"
)

// charge takes what an accepted submission costs from the node's traffic, or turns it into a refused one, which costs
// nothing.
func (b *block) charge(decision ledger.Decision) (ledger.Decision, error) {
	created := make([]ledger.Contract, len(decision.Created))
	for i := range decision.Created {
		created[i] = decision.Created[i].Contract
	}
	account, err := b.head.Traffic.Charge(decision.Completion.PaidTrafficCost, created, b.archived(decision),
		decision.Completion.RecordTime, b.activities.Traffic)
	if refusal, ok := fault.As(err); ok {
		completion := decision.Completion
		completion.UpdateID, completion.PaidTrafficCost, completion.Refusal = "", 0, refusal
		return ledger.Decision{Completion: completion}, nil
	}
	if err != nil {
		return ledger.Decision{}, err
	}
	b.head.Traffic = account
	b.entries.Head = b.head
	return decision, nil
}

// archived are the contracts that a decision consumes, those included that the same transaction created.
func (b *block) archived(decision ledger.Decision) []ledger.Contract {
	created := make(map[ledger.ContractID]ledger.Contract, len(decision.Created))
	for _, contract := range decision.Created {
		created[contract.Contract.ID] = contract.Contract
	}
	archived := make([]ledger.Contract, 0, len(decision.Archived))
	for _, id := range decision.Archived {
		if contract, ok := created[id]; ok {
			archived = append(archived, contract)
		} else if contract, ok := b.view.active[id]; ok {
			archived = append(archived, contract)
		}
	}
	return archived
}
