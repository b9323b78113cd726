package v0

import (
	"encoding/json"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/fault"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// Contract is a contract as clients of /v0 are shown it. The blob is what they pass back to disclose it.
type Contract struct {
	TemplateID       lf.TypeName        `json:"template_id" required:"true" doc:"Its template, by package id"`
	ContractID       string             `json:"contract_id" required:"true" doc:"Its id"`
	Payload          json.RawMessage    `json:"payload" required:"true" doc:"Its payload"`
	CreatedEventBlob endpoint.Bytes     `json:"created_event_blob" required:"true" doc:"For disclosing it"`
	CreatedAt        endpoint.Timestamp `json:"created_at" required:"true" doc:"Ledger time of its creation"`
}

// ContractWithState is a contract and where it is.
type ContractWithState struct {
	Contract Contract `json:"contract" required:"true" doc:"The contract"`
	DomainID *string  `json:"domain_id" doc:"The synchronizer it is assigned to"`
}

// MaybeCachedContractWithState is a contract, or null when the one that the caller has is still the current one.
type MaybeCachedContractWithState struct {
	Contract *Contract `json:"contract" doc:"The contract; null when the caller has it already"`
	DomainID *string   `json:"domain_id" doc:"The synchronizer it is assigned to"`
}

// ToAPIContract shows a contract, with the same blob that the JSON Ledger API gives.
func ToAPIContract(contract ledger.Contract) (Contract, error) {
	blob, err := ledger.EncodeBlob(contract)
	if err != nil {
		return Contract{}, fault.Internal(err)
	}
	return Contract{
		TemplateID: contract.Template, ContractID: string(contract.ID), Payload: contract.Payload,
		CreatedEventBlob: blob, CreatedAt: endpoint.Timestamp(contract.CreatedAt),
	}, nil
}

// ToAPIContractWithState shows a contract that is assigned to the node's synchronizer.
func ToAPIContractWithState(contract ledger.Contract, synchronizerID string) (ContractWithState, error) {
	shown, err := ToAPIContract(contract)
	return ContractWithState{Contract: shown, DomainID: &synchronizerID}, err
}

// ToAPIContractsWithState shows contracts that are assigned to the node's synchronizer.
func ToAPIContractsWithState(contracts []ledger.Contract, synchronizerID string) ([]ContractWithState, error) {
	shown := make([]ContractWithState, len(contracts))
	for i, contract := range contracts {
		var err error
		if shown[i], err = ToAPIContractWithState(contract, synchronizerID); err != nil {
			return nil, err
		}
	}
	return shown, nil
}
