package ledger

import (
	"fmt"

	"github.com/florinledger/florin/ledger/fault"
)

// lookup finds an active contract that the submission may use: one of this transaction, a disclosed one, or one in the
// store that a reader is a stakeholder of.
func (tx *Tx) lookup(id ContractID) (instance, error) {
	if tx.consumed[id] {
		found := tx.created[id]
		if found.template == nil {
			found = tx.inputs[id]
		}
		return instance{}, fault.ContractNotActive.New(
			"Interpretation error: Error: Update failed due to fetch-by-id or exercise of inactive contract %s", id).
			WithResource("CONTRACT_ID", string(id)).WithResource("TEMPLATE_ID", found.template.name.String())
	}
	if found, ok := tx.created[id]; ok {
		return found, nil
	}
	if found, ok := tx.inputs[id]; ok {
		return found, nil
	}
	tx.budget.payRead()
	contract, ok, err := tx.env.Store.ActiveContract(id)
	if err != nil {
		return instance{}, storeError{err}
	}
	if !ok || !tx.mayUse(contract) {
		return instance{}, fault.ContractNotFoundWithID(string(id)).WithHint(
			"Check that the contract is active and that actAs or readAs names one of its stakeholders, " +
				"or attach it to disclosedContracts.")
	}
	t, known := tx.env.Packages.templates[contract.Template]
	if !known {
		return instance{}, fmt.Errorf("contract %s has unknown template %s", id, contract.Template)
	}
	if err := tx.read(contract); err != nil {
		return instance{}, err
	}
	payload, remembered := tx.env.Payloads.get(id)
	if !remembered {
		if payload, err = t.decodePayload(contract); err != nil {
			return instance{}, err
		}
		tx.env.Payloads.put(id, payload, len(contract.Payload))
	}
	found := instance{contract: contract, template: t, payload: payload}
	tx.inputs[id] = found
	tx.order = append(tx.order, id)
	return found, nil
}
