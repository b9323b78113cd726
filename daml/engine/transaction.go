package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// Host is the ledger of an interpretation.
type Host interface {
	// Contract finds an active contract that the submission may use; false if there is none. An error is a failure of
	// the host and ends the run.
	Contract(ctx context.Context, id lf.ContractID) (Contract, bool, error)
	// ContractsByKey lists at most limit active contracts that have a key and that the submission may use: first the
	// disclosed ones, in their order, then the others. It returns fewer only if there are no more, and a larger limit
	// only adds contracts at the end. The key's hash is that of the create node.
	ContractsByKey(ctx context.Context, key ledger.ContractKey, limit int) ([]Contract, error)
}

// Contract is a contract of the ledger with its argument. It needs no payload in JSON.
type Contract struct {
	ledger.Contract
	Argument lf.Value
}

// Environment has the inputs of an interpretation, except the commands.
type Environment struct {
	Host Host
	// ActAs are the parties that authorize the commands.
	ActAs []ledger.Party
	// EffectiveAt is the ledger time.
	EffectiveAt time.Time
	// Seed is the source of contract ids and node seeds.
	Seed [32]byte
	// Packages are the selected packages by name. An interface uses a contract in the version of its template in the
	// selected package; if Packages is nil, in the version that created it.
	Packages map[string]lf.PackageID
	// TakeBack allows a caught exception to roll back creates and archives. Without it such a submission is refused.
	TakeBack bool
}

// transaction is the transaction so far. Its nodes are in the order of their addition; rolled-back ones are below nodes
// of kind Rollback.
type transaction struct {
	env     Environment
	nodes   []ledger.TxNode
	roots   []int32
	frames  []scopeOfAuthority
	effects []int32 // the nodes that create or archive a contract, without rolled-back ones

	created  map[lf.ContractID]*instance
	consumed map[lf.ContractID]bool
	inputs   map[lf.ContractID]*instance
	order    []lf.ContractID // inputs in the order of first use

	createdWith map[string][]*instance // contracts of this transaction by the hashes of their keys
	keys        map[string]*keyInputs  // by hash

	earliest, latest *lf.Timestamp
}

// scopeOfAuthority is a node whose consequences are running, and their authorizers.
type scopeOfAuthority struct {
	authorizers []ledger.Party
	node        int32 // -1 above all nodes
	seed        [32]byte
	children    uint32
}

func newTransaction(env Environment) *transaction {
	return &transaction{
		env: env, created: map[lf.ContractID]*instance{}, consumed: map[lf.ContractID]bool{},
		inputs: map[lf.ContractID]*instance{}, createdWith: map[string][]*instance{}, keys: map[string]*keyInputs{},
		frames: []scopeOfAuthority{
			{authorizers: ledger.SortedParties(env.ActAs), node: -1, seed: env.Seed},
		},
	}
}

func (t *transaction) top() *scopeOfAuthority { return &t.frames[len(t.frames)-1] }

// add adds a node below the current one.
func (t *transaction) add(node ledger.TxNode) (int32, *Failure) {
	if len(t.nodes) >= ledger.MaxTransactionNodes {
		return 0, failureOf(fault.DamlInterpretationError.New(
			"Interpretation error: the transaction has more than %d nodes", ledger.MaxTransactionNodes).
			WithHint("Split the commands over several submissions."))
	}
	id := int32(len(t.nodes))
	top := t.top()
	node.Seed = ledger.ChildSeed(top.seed, top.children)
	top.children++
	siblings := t.siblings()
	*siblings = append(*siblings, id)
	t.nodes = append(t.nodes, node)
	return id, nil
}

// lookup finds an active contract: one of this transaction, or one of the ledger.
func (m *machine) lookup(id lf.ContractID) (*instance, *Failure) {
	t := m.ledger
	found := t.created[id]
	if found == nil {
		found = t.inputs[id]
	}
	if t.consumed[id] {
		return nil, failureOf(fault.ContractNotActive.New(
			interpretationError+"Update failed due to fetch of an inactive contract %s (%s)", id, found.contract.Template).
			WithResource("CONTRACT_ID", string(id)).WithResource("TEMPLATE_ID", found.contract.Template.String()))
	}
	if found != nil {
		return found, nil
	}
	contract, ok, err := t.env.Host.Contract(m.ctx, id)
	if err != nil {
		return nil, &Failure{err: fmt.Errorf("contract %s: %w", id, err)}
	}
	if !ok {
		return nil, failureOf(fault.ContractNotFoundWithID(string(id)))
	}
	return t.admit(contract), nil
}

// admit adds a contract of the ledger to the inputs.
func (t *transaction) admit(contract Contract) *instance {
	found := &instance{contract: contract.Contract, stored: contract.Argument}
	t.inputs[contract.ID] = found
	t.order = append(t.order, contract.ID)
	return found
}

// now reads the ledger time. Then the transaction is valid only at this time.
func (m *machine) now() lf.Timestamp {
	if m.outer != nil {
		return m.outer.Now()
	}
	now := lf.TimestampOf(m.ledger.env.EffectiveAt)
	m.notBefore(now)
	m.notAfter(now)
	return now
}

// isBefore compares the ledger time with another, and reveals nothing else of it.
func (m *machine) isBefore(t lf.Timestamp) bool {
	if m.outer != nil {
		return m.outer.IsBefore(t)
	}
	if lf.TimestampOf(m.ledger.env.EffectiveAt) < t {
		m.notAfter(t - 1)
		return true
	}
	m.notBefore(t)
	return false
}

func (m *machine) notBefore(t lf.Timestamp) {
	if m.ledger.earliest == nil || *m.ledger.earliest < t {
		m.ledger.earliest = &t
	}
}

func (m *machine) notAfter(t lf.Timestamp) {
	if m.ledger.latest == nil || *m.ledger.latest > t {
		m.ledger.latest = &t
	}
}

func timeOf(t *lf.Timestamp) *time.Time {
	if t == nil {
		return nil
	}
	at := t.Time()
	return &at
}
