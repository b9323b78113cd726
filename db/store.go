package db

import (
	"context"

	"github.com/florinledger/florin/ledger"
)

// ContractReader finds contracts.
type ContractReader interface {
	// Contract finds a contract, also an archived one.
	Contract(ctx context.Context, id ledger.ContractID) (StoredContract, bool, error)
	// ContractByKey finds the active contract that has the key with the hash.
	ContractByKey(ctx context.Context, keyHash string) (StoredContract, bool, error)
}

// Store is the present ledger during one interpretation. It does not read again what was loaded.
func Store(
	ctx context.Context, record ContractReader, loaded map[ledger.ContractID]StoredContract,
) ledger.Store {
	return store{ctx, record, loaded}
}

type store struct {
	ctx    context.Context //nolint:containedctx // lives within one interpretation, behind an interface without contexts
	record ContractReader
	loaded map[ledger.ContractID]StoredContract
}

// ActiveContract implements [ledger.Store].
func (s store) ActiveContract(id ledger.ContractID) (ledger.Contract, bool, error) {
	stored, found := s.loaded[id]
	var err error
	if !found {
		stored, found, err = s.record.Contract(s.ctx, id)
	}
	return stored.Contract, found && stored.Archived == nil, err
}

// ActiveContractByKey implements [ledger.Store].
func (s store) ActiveContractByKey(keyHash string) (ledger.Contract, bool, error) {
	stored, found, err := s.record.ContractByKey(s.ctx, keyHash)
	return stored.Contract, found, err
}
