package activities

import (
	"context"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
)

// view is the set of active contracts during a commit: those of the database, changed by the earlier submissions of the
// same commit. It implements [ledger.Store].
type view struct {
	ctx     context.Context //nolint:containedctx // lives within one activity call, behind an interface without contexts
	parties *partyCache
	tx      *db.Tx
	active  map[ledger.ContractID]ledger.Contract
	absent  map[ledger.ContractID]bool // archived or missing
	keys    map[string]ledger.ContractID
	// read tells of contracts in the database whether they are active.
	read map[ledger.ContractID]bool
	// byKey are the contracts that the database has for keys; an empty id for none.
	byKey map[string]ledger.Contract
	// failed is the last failure of the database: the interpreter does not tell it from other errors.
	failed error
}

func newView(
	ctx context.Context, a *Activities, tx *db.Tx, loaded db.Loaded,
) *view {
	v := &view{
		ctx: ctx, parties: &a.parties, tx: tx, active: map[ledger.ContractID]ledger.Contract{},
		absent: map[ledger.ContractID]bool{}, keys: map[string]ledger.ContractID{}, byKey: map[string]ledger.Contract{},
		read: loaded.Active,
	}
	for _, contract := range loaded.Contracts {
		v.load(contract)
	}
	for hash, contract := range loaded.ContractKeys {
		v.byKey[hash] = contract.Contract
	}
	return v
}

// addKeys records that the keys with these hashes were loaded.
func (v *view) addKeys(hashes []string) {
	for _, hash := range hashes {
		if _, found := v.byKey[hash]; !found {
			v.byKey[hash] = ledger.Contract{}
		}
	}
}

// load adds a contract from the database, unless this commit has changed it.
func (v *view) load(stored db.StoredContract) {
	switch {
	case v.absent[stored.ID]:
	case stored.Archived != nil:
		v.absent[stored.ID] = true
	default:
		v.active[stored.ID] = stored.Contract
	}
}

func (v *view) create(contract ledger.Contract) {
	v.active[contract.ID] = contract
	if contract.Key != nil {
		v.keys[contract.Key.Hash] = contract.ID
	}
}

func (v *view) archive(id ledger.ContractID) {
	delete(v.active, id)
	v.absent[id] = true
}

// ActiveContract implements [ledger.Store].
func (v *view) ActiveContract(id ledger.ContractID) (ledger.Contract, bool, error) {
	if contract, ok := v.active[id]; ok || v.absent[id] {
		return contract, ok, nil
	}
	contracts, err := v.tx.Contracts(v.ctx, []ledger.ContractID{id})
	if err != nil {
		v.failed = err
		return ledger.Contract{}, false, err
	}
	if stored, ok := contracts[id]; ok {
		v.load(stored)
	} else {
		v.absent[id] = true
	}
	contract, ok := v.active[id]
	return contract, ok, nil
}

// isActive reports whether a contract is active. It knows those that interpretation ahead has read without a query.
func (v *view) isActive(id ledger.ContractID) (bool, error) {
	if _, active := v.active[id]; active || v.absent[id] {
		return active, nil
	}
	if active, known := v.read[id]; known {
		return active, nil
	}
	_, active, err := v.ActiveContract(id)
	return active, err
}

// ActiveContractByKey implements [ledger.Store].
func (v *view) ActiveContractByKey(keyHash string) (ledger.Contract, bool, error) {
	if id, ok := v.keys[keyHash]; ok && !v.absent[id] {
		return v.active[id], true, nil
	}
	contract, known := v.byKey[keyHash]
	if !known {
		stored, _, err := v.tx.ContractByKey(v.ctx, keyHash)
		if err != nil {
			v.failed = err
			return ledger.Contract{}, false, err
		}
		contract = stored.Contract
		v.byKey[keyHash] = contract
	}
	if contract.ID == "" || v.absent[contract.ID] {
		return ledger.Contract{}, false, nil
	}
	return contract, true, nil
}

func (v *view) isLocal(party ledger.Party) (bool, error) {
	local, _, err := v.party(party)
	return local, err
}

func (v *view) isKnown(party ledger.Party) (bool, error) {
	_, known, err := v.party(party)
	return known, err
}

func (v *view) party(party ledger.Party) (local, known bool, err error) {
	if local, known = v.parties.get(party); known {
		return local, known, nil
	}
	parties, err := v.tx.KnownParties(v.ctx, []ledger.Party{party})
	if err != nil {
		v.failed = err
		return false, false, err
	}
	v.parties.add(parties)
	local, known = parties[party]
	return local, known, nil
}
