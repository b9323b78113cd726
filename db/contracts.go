package db

import (
	"context"

	"github.com/florinledger/florin/db/dbgen"
	"github.com/florinledger/florin/ledger"
)

// StoredContract is a contract with its place in the record.
type StoredContract struct {
	ledger.Contract
	// Offset and NodeID say where it was created.
	Offset ledger.Offset
	NodeID int32
	// Archived is the offset at which it was archived; nil while it is active.
	Archived *ledger.Offset
}

// Position is the place in the record at which the contract was created.
func (c StoredContract) Position() Position { return Position{c.Offset, c.NodeID} }

// Contract finds a contract, active or archived; false when there never was one of this id.
func (r Reader) Contract(ctx context.Context, id ledger.ContractID) (StoredContract, bool, error) {
	found, err := r.Contracts(ctx, []ledger.ContractID{id})
	contract, ok := found[id]
	return contract, ok, err
}

// Contracts finds contracts, active or archived. Those that never were are absent.
func (r Reader) Contracts(
	ctx context.Context, ids []ledger.ContractID,
) (map[ledger.ContractID]StoredContract, error) {
	rows, err := r.queries.ListContracts(ctx, ledger.Strings(ids))
	if err != nil {
		return nil, failed("reading contracts", err)
	}
	return contractsByID(rows)
}

// ContractByKey finds the active contract that has the key, by the key's hash; false when there is none.
func (r Reader) ContractByKey(ctx context.Context, keyHash string) (StoredContract, bool, error) {
	rows, err := r.queries.ListContractsByKey(ctx, []string{keyHash})
	if err != nil {
		return StoredContract{}, false, failed("reading a contract by key", err)
	}
	found, err := contractsByKey(rows)
	contract, ok := found[keyHash]
	return contract, ok, err
}

func contractsByID(rows []dbgen.Contract) (map[ledger.ContractID]StoredContract, error) {
	contracts, err := fromDBContracts(rows)
	byID := make(map[ledger.ContractID]StoredContract, len(contracts))
	for _, contract := range contracts {
		byID[contract.ID] = contract
	}
	return byID, err
}

func contractsByKey(rows []dbgen.Contract) (map[string]StoredContract, error) {
	contracts, err := fromDBContracts(rows)
	byKey := make(map[string]StoredContract, len(contracts))
	for _, contract := range contracts {
		byKey[contract.Key.Hash] = contract
	}
	return byKey, err
}
