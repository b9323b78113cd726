package ledger

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

func (tx *Tx) claimKey(t *template, described description) (*ContractKey, error) {
	if t.key == nil {
		return nil, nil
	}
	key, err := tx.contractKey(t, described.key)
	if err != nil {
		return nil, err
	}
	if missing := MissingParties(described.signatories, key.Maintainers); len(missing) > 0 {
		return nil, fault.DamlInterpretationError.New(
			"Interpretation error: Error: maintainers %v of the key of %s are not among the signatories",
			missing, t.name.QualifiedName())
	}
	// A contract that the submission may not see counts too, or keys would not be unique. The maintainers see it.
	_, taken, err := tx.lookupKey(key.Hash, func(Contract) bool { return true })
	if err != nil {
		return nil, err
	}
	if taken {
		return nil, fault.DuplicateContractKey.New(
			"Interpretation error: Error: Update failed due to a duplicate contract key %s", key.Value).
			WithResource("TEMPLATE_ID", t.name.String()).
			WithResource("CONTRACT_KEY", string(key.Value)).
			WithResource("PACKAGE_NAME", t.packageName)
	}
	return key, nil
}

func (tx *Tx) contractKey(t *template, goKey any) (*ContractKey, error) {
	value, err := t.key.value.toValue(goKey)
	if err != nil {
		return nil, err
	}
	if len(lf.ContractIDs(value)) > 0 {
		return nil, fault.ContractIDInContractKey.New(
			"Interpretation error: Error: the key of %s contains a contract id", t.name.QualifiedName())
	}
	maintainers, err := t.key.maintainers(tx, goKey)
	if err != nil {
		return nil, err
	}
	maintainers = SortedParties(maintainers)
	if len(maintainers) == 0 {
		return nil, fault.CreateEmptyContractKeyMaintainers.New(
			"Interpretation error: Error: the key of %s has no maintainers", t.name.QualifiedName())
	}
	encoded := lf.EncodeJSON(t.key.value.lfType, value)
	hash := KeyHash(t.packageName, t.name, encoded)
	return &ContractKey{Value: encoded, Hash: hash, Maintainers: maintainers}, nil
}

func (tx *Tx) keyFromJSON(t *template, raw []byte) (*ContractKey, error) {
	if t.key == nil {
		return nil, fault.InvalidArgumentf("template %s has no contract key", t.name).
			WithHint("Use an ExerciseCommand with the contract id.")
	}
	goKey, err := decodeArgument(t.key.value, raw)
	if err != nil {
		return nil, err
	}
	return tx.contractKey(t, goKey)
}

// KeyHash is the hash of a key in JSON. It is the same in all versions of the template's package.
func KeyHash(packageName string, template lf.TypeName, key []byte) string {
	hash := sha256.New()
	hash.Write([]byte("florin contract key\x00"))
	writeText(hash, packageName)
	writeText(hash, template.QualifiedName())
	writeText(hash, string(key))
	return hex.EncodeToString(hash.Sum(nil))
}

// findKey finds the active contract with the key, or refuses when there is none that the submission may use.
func (tx *Tx) findKey(t *template, key *ContractKey) (ContractID, error) {
	id, found, err := tx.lookupKey(key.Hash, tx.mayUse)
	if err == nil && !found {
		err = fault.ContractKeyNotFound.New("dependency error: couldn't find key %s", key.Value).
			WithResource("CONTRACT_KEY", string(key.Value)).
			WithResource("TEMPLATE_ID", t.name.String()).
			WithResource("PACKAGE_NAME", t.packageName)
	}
	return id, err
}

// lookupKey finds the active contract with the key, of this transaction or from the store. One from the store must
// count.
func (tx *Tx) lookupKey(hash string, counts func(Contract) bool) (ContractID, bool, error) {
	if id, ok := tx.keys[hash]; ok {
		return id, true, nil
	}
	tx.budget.payRead()
	contract, ok, err := tx.env.Store.ActiveContractByKey(hash)
	if err != nil {
		return "", false, storeError{err}
	}
	if !ok || tx.consumed[contract.ID] || !counts(contract) {
		return "", false, nil
	}
	return contract.ID, true, nil
}
