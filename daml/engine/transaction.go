package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/florinledger/florin/fault"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// Host is the ledger that a transaction is interpreted against.
type Host interface {
	// Contract finds an active contract that the submission may use; false when there is none. An error is a failure of
	// the host, which ends the run.
	Contract(ctx context.Context, id lf.ContractID) (Contract, bool, error)
	// ContractsByKey lists active contracts that have a key and that the submission may use, no more than so many: first
	// those that were disclosed, in their order, then the others. There are fewer only where there are no more, and those
	// of a smaller limit come first. The key's hash is that of the key of the node that created the contract.
	ContractsByKey(ctx context.Context, key ledger.ContractKey, limit int) ([]Contract, error)
}

// Contract is a contract of the ledger with its argument. The payload in JSON may be left out.
type Contract struct {
	ledger.Contract
	Argument lf.Value
}

// Environment is what interpretation needs beside the commands.
type Environment struct {
	Host Host
	// ActAs are the parties that authorize the commands.
	ActAs []ledger.Party
	// EffectiveAt is the ledger time.
	EffectiveAt time.Time
	// Seed is what contract ids and node seeds derive from.
	Seed [32]byte
	// Packages are the packages that names of packages stand for: a contract that is used by one of its interfaces is used
	// as one of the version of its template in the package that its package's name stands for. Where it is nil, each is
	// used as one of the version that created it.
	Packages map[string]lf.PackageID
	// TakeBack has exceptions that are caught take back what was created and archived meanwhile; otherwise such a
	// submission is refused.
	TakeBack bool
}

// transaction is the transaction that updates make, as far as they have.
type transaction struct {
	env    Environment
	nodes  []ledger.TxNode
	roots  []int32
	frames []scopeOfAuthority

	created  map[lf.ContractID]*instance
	consumed map[lf.ContractID]bool
	inputs   map[lf.ContractID]*instance
	order    []lf.ContractID // inputs in the order of first use

	createdWith map[string][]*instance // contracts of this transaction by the hashes of their keys
	keys        map[string]*keyInputs  // by hash

	earliest, latest *lf.Timestamp
}

// scopeOfAuthority is a node whose consequences are under way, and who authorizes them.
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

// add adds a node below the one that is under way.
func (t *transaction) add(node ledger.TxNode) (int32, *Failure) {
	if len(t.nodes) >= ledger.MaxTransactionNodes {
		return 0, failed(fault.DamlInterpretationError.New(
			"Interpretation error: the transaction has more than %d nodes", ledger.MaxTransactionNodes).
			WithHint("Split the commands over several submissions."))
	}
	id := int32(len(t.nodes))
	top := t.top()
	node.ID, node.LastDescendant, node.Seed = id, id, ledger.ChildSeed(top.seed, top.children)
	top.children++
	if top.node < 0 {
		t.roots = append(t.roots, id)
	} else {
		t.nodes[top.node].Children = append(t.nodes[top.node].Children, id)
	}
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
		return nil, failed(fault.ContractNotActive.New(
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
		return nil, failed(fault.ContractNotFoundWithID(string(id)))
	}
	return t.admit(contract), nil
}

// admit takes up a contract of the ledger.
func (t *transaction) admit(contract Contract) *instance {
	found := &instance{contract: contract.Contract, stored: contract.Argument}
	t.inputs[contract.ID] = found
	t.order = append(t.order, contract.ID)
	return found
}

// mark is a point of a transaction to go back to.
type mark struct{ nodes, frames int }

func (m *machine) mark() mark {
	if m.ledger == nil {
		return mark{}
	}
	return mark{nodes: len(m.ledger.nodes), frames: len(m.ledger.frames)}
}

// rollback takes back what was done since a mark.
func (m *machine) rollback(to mark) *Failure {
	t := m.ledger
	if t == nil {
		return nil
	}
	for _, node := range t.nodes[to.nodes:] {
		switch {
		case node.Kind != ledger.EventCreate && !node.Consuming:
		case !t.env.TakeBack:
			return effectfulRollback(t.nodes[to.nodes:])
		case node.Kind == ledger.EventCreate:
			delete(t.created, node.ContractID)
			if node.Key != nil { // what was created last is what is taken back
				of := t.createdWith[node.Key.Hash]
				t.createdWith[node.Key.Hash] = of[:len(of)-1]
			}
		default:
			delete(t.consumed, node.ContractID)
		}
	}
	since := func(id int32) bool { return id >= int32(to.nodes) }
	t.nodes, t.frames = t.nodes[:to.nodes], t.frames[:to.frames]
	t.roots = slices.DeleteFunc(t.roots, since)
	if top := t.top(); top.node >= 0 {
		t.nodes[top.node].Children = slices.DeleteFunc(t.nodes[top.node].Children, since)
	}
	return nil
}

func effectfulRollback(nodes []ledger.TxNode) *Failure {
	var effects []string
	for _, node := range nodes {
		switch {
		case node.Kind == ledger.EventCreate:
			effects = append(effects, fmt.Sprintf("Create of %s (%s)", node.Template, node.ContractID))
		case node.Consuming:
			effects = append(effects, fmt.Sprintf("Consuming exercise of %s on %s (%s)", node.Choice, node.Template,
				node.ContractID))
		}
	}
	first := effects[:min(len(effects), maxListed)]
	return failed(fault.DamlEffectfulRollbackError.New(
		interpretationError+"Tried to rollback side-effectful node(s): %s%s", strings.Join(first, ", "),
		andMore(len(effects)-maxListed)))
}

// now reads the ledger time. The transaction is valid at no other.
func (m *machine) now() lf.Timestamp {
	now := lf.TimestampOf(m.ledger.env.EffectiveAt)
	m.notBefore(now)
	m.notAfter(now)
	return now
}

// isBefore compares the ledger time with another, and says no more of it.
func (m *machine) isBefore(t lf.Timestamp) bool {
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

// finished is the transaction in the form that the ledger knows.
func (t *transaction) finished() ledger.Transaction {
	out := t.transaction()
	out.AssignContractIDs()
	return out
}

// transaction is the transaction as far as it came.
func (t *transaction) transaction() ledger.Transaction {
	out := ledger.Transaction{
		Nodes: t.nodes, Roots: t.roots, EffectiveAt: t.env.EffectiveAt,
		Earliest: timeOf(t.earliest), Latest: timeOf(t.latest),
	}
	for _, id := range t.order {
		out.Inputs = append(out.Inputs, t.inputs[id].contract)
	}
	return out
}

func timeOf(t *lf.Timestamp) *time.Time {
	if t == nil {
		return nil
	}
	at := t.Time()
	return &at
}
