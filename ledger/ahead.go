package ledger

import (
	"errors"
	"time"

	"github.com/florinledger/florin/ledger/fault"
)

// ErrLongCode is the error of a decision whose code takes longer than other submissions may wait. It decides nothing:
// interpret the submission with [InterpretAhead], and decide again.
var ErrLongCode = errors.New("the code of the submission takes too long under the head lock")

// Ahead is the interpretation of a submission before its decision. It holds as long as the ledger answers its reads in
// the same way. It is immutable.
type Ahead struct {
	packages *Packages
	// at is the record time that it assumed.
	at      time.Time
	ordered orderedTransaction
	// refusal is the error if the commands fail.
	refusal *fault.Fault
	cost    int64
	reads   *reads
}

// reads are the questions of an interpretation to the store, with the answers. It implements [Store].
type reads struct {
	Store

	contracts map[ContractID]bool   // whether it was active
	keys      map[string]ContractID // the contract with the key; "" for none
}

// ActiveContract implements [Store].
func (r *reads) ActiveContract(id ContractID) (Contract, bool, error) {
	contract, active, err := r.Store.ActiveContract(id)
	r.contracts[id] = active
	return contract, active, err
}

// ActiveContractByKey implements [Store].
func (r *reads) ActiveContractByKey(keyHash string) (Contract, bool, error) {
	contract, found, err := r.Store.ActiveContractByKey(keyHash)
	r.keys[keyHash] = contract.ID
	return contract, found, err
}

// InterpretAhead interprets a submission on the store of the circumstances, without the head lock: other submissions may
// change the ledger meanwhile. It needs only the packages, network, store, secret, budget and External of the
// circumstances. A refusal is part of the result; the error is a failure of the store, or the end of the budget's
// context.
func InterpretAhead(s Submission, at time.Time, c Circumstances) (*Ahead, error) {
	out := &Ahead{
		packages: c.Packages, at: at,
		reads: &reads{Store: c.Store, contracts: map[ContractID]bool{}, keys: map[string]ContractID{}},
	}
	c.Store = out.reads
	position := Position{RecordTime: at}
	env := c.environment(s, position)
	if c.External != nil {
		env.EffectiveAt, env.Prepared = c.External.effectiveTime(s, position), &c.External.Run
		env.Store = preparedStore{Store: c.Store, inputs: s.Disclosed}
	}
	transaction, err := Interpret(s, env)
	out.cost = c.Budget.Cost()
	var refused bool
	if out.refusal, refused = fault.As(err); refused {
		return out.alone(), nil
	}
	if err != nil {
		return nil, err
	}
	out.ordered, err = orderedOf(transaction)
	return out.alone(), err
}

// RefuseAhead is an interpretation that ends in a refusal, whatever the ledger answers.
func RefuseAhead(refusal *fault.Fault) *Ahead { return &Ahead{refusal: refusal} }

// alone drops the store, which belongs to the run.
func (a *Ahead) alone() *Ahead {
	a.reads.Store = nil
	return a
}

// Reads lists the contracts and the hashes of keys that the interpretation asked for.
func (a *Ahead) Reads() (contracts []ContractID, keys []string) {
	if a == nil || a.reads == nil {
		return nil, nil
	}
	for id := range a.reads.contracts {
		contracts = append(contracts, id)
	}
	for hash := range a.reads.keys {
		keys = append(keys, hash)
	}
	return contracts, keys
}

// holds reports whether the interpretation is that at a position of the record. The error is a failure of the store.
func (a *Ahead) holds(c Circumstances, at Position) (bool, error) {
	if a == nil {
		return false, nil
	}
	if a.reads == nil {
		return true, nil
	}
	late := at.RecordTime.Sub(a.at)
	if a.packages != c.Packages || late < 0 || late > LedgerTimeTolerance {
		return false, nil
	}
	isActive := c.IsActive
	if isActive == nil {
		isActive = func(id ContractID) (bool, error) { _, active, err := c.Store.ActiveContract(id); return active, err }
	}
	for id, wasActive := range a.reads.contracts {
		if active, err := isActive(id); err != nil || active != wasActive {
			return false, err
		}
	}
	for hash, found := range a.reads.keys {
		if contract, _, err := c.Store.ActiveContractByKey(hash); err != nil || contract.ID != found {
			return false, err
		}
	}
	return true, nil
}

// RunsUploaded reports whether the commands or disclosed contracts of a submission name code of uploaded packages. Other
// submissions may run such code too, through interfaces.
func (p *Packages) RunsUploaded(s Submission) bool {
	for _, command := range s.Commands {
		if name, _ := command.Uses(); p.IsUploaded(name.Package) {
			return true
		}
	}
	for _, contract := range s.Disclosed {
		if p.IsUploaded(contract.Template.Package) {
			return true
		}
	}
	return false
}
