package v0

import (
	"encoding/json"
	"fmt"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// Contract is a contract under /v0. Clients pass its blob back to disclose the contract.
type Contract struct {
	TemplateID       lf.TypeName        `json:"template_id" required:"true" doc:"Its template, by package id"`
	ContractID       string             `json:"contract_id" required:"true" doc:"Its id"`
	Payload          json.RawMessage    `json:"payload" required:"true" doc:"Its payload"`
	CreatedEventBlob endpoint.Bytes     `json:"created_event_blob" required:"true" doc:"Blob to disclose it"`
	CreatedAt        endpoint.Timestamp `json:"created_at" required:"true" doc:"Ledger time of its creation"`
}

// ContractWithState is a contract and its synchronizer.
type ContractWithState struct {
	Contract Contract `json:"contract" required:"true" doc:"The contract"`
	DomainID *string  `json:"domain_id" doc:"The synchronizer it is assigned to"`
}

// MaybeCachedContractWithState is a contract, or null if the caller's cached one is still current.
type MaybeCachedContractWithState struct {
	Contract *Contract `json:"contract" doc:"The contract; null when the caller has it already"`
	DomainID *string   `json:"domain_id" doc:"The synchronizer it is assigned to"`
}

// ToAPIPayload converts the payload of a contract for /v0, scan and the registry. Unlike in the JSON Ledger API,
// decimals have their shortest form.
func ToAPIPayload(packages *ledger.Packages, contract ledger.Contract) (json.RawMessage, error) {
	payload, err := packages.ShortPayload(contract)
	if err != nil {
		return nil, fault.Internal(err)
	}
	return payload, nil
}

// ToAPIContract converts a contract. Its blob is that of the JSON Ledger API.
func ToAPIContract(packages *ledger.Packages, contract ledger.Contract) (Contract, error) {
	payload, err := ToAPIPayload(packages, contract)
	if err != nil {
		return Contract{}, err
	}
	return toAPIContract(contract, contract.Template, payload)
}

// ToAPIView converts a contract to its view through an interface: the interface is its template, and the view its
// payload, as upstream shows contracts of apps.
func ToAPIView(packages *ledger.Packages, contract ledger.Contract, name lf.TypeName, view []byte) (Contract, error) {
	viewType, ok := packages.ViewType(name)
	if !ok {
		return Contract{}, fault.Internal(fmt.Errorf("%s is no interface", name))
	}
	value, err := lf.DecodeJSON(viewType, view)
	if err != nil {
		return Contract{}, fault.Internal(fmt.Errorf("the view of %s: %w", contract.ID, err))
	}
	return toAPIContract(contract, name, lf.EncodeShortJSON(viewType, value))
}

func toAPIContract(contract ledger.Contract, name lf.TypeName, payload json.RawMessage) (Contract, error) {
	blob, err := ledger.EncodeBlob(contract)
	if err != nil {
		return Contract{}, fault.Internal(err)
	}
	return Contract{
		TemplateID: name, ContractID: string(contract.ID), Payload: payload,
		CreatedEventBlob: blob, CreatedAt: endpoint.Timestamp(contract.CreatedAt),
	}, nil
}

// ToAPIContractWithState converts a contract on the node's synchronizer.
func ToAPIContractWithState(
	packages *ledger.Packages, contract ledger.Contract, synchronizerID string,
) (ContractWithState, error) {
	shown, err := ToAPIContract(packages, contract)
	return ContractWithState{Contract: shown, DomainID: &synchronizerID}, err
}

// ToAPIContractsWithState converts contracts on the node's synchronizer.
func ToAPIContractsWithState(
	packages *ledger.Packages, contracts []ledger.Contract, synchronizerID string,
) ([]ContractWithState, error) {
	shown := make([]ContractWithState, len(contracts))
	for i, contract := range contracts {
		var err error
		if shown[i], err = ToAPIContractWithState(packages, contract, synchronizerID); err != nil {
			return nil, err
		}
	}
	return shown, nil
}
