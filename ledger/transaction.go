package ledger

import (
	"time"

	"github.com/florinledger/florin/ledger/lf"
)

// Transaction is the tree that interpretation makes of a submission. Its nodes are in execution order: a node's id is
// its index, and the sub-tree of node n is n to Nodes[n].LastDescendant.
type Transaction struct {
	Nodes []TxNode
	// Roots are the ids of the nodes without a parent.
	Roots []int32
	// Inputs are the contracts from outside the transaction that it used, in order of first use.
	Inputs []Contract
	// EffectiveAt is the ledger effective time.
	EffectiveAt time.Time
	// Earliest and Latest bound the effective times at which the same commands on the same contracts give this
	// transaction, both inclusive; nil where there is no bound.
	Earliest *time.Time
	Latest   *time.Time
	// Bytes is an upper limit for the bytes of its events in the record; never more than MaxTransactionBytes.
	Bytes int
}

// TxNode is a create, exercise or fetch of a transaction.
type TxNode struct {
	ID             int32
	LastDescendant int32
	Kind           EventKind
	ContractID     ContractID
	Template       lf.TypeName
	PackageName    string
	Signatories    []Party
	Observers      []Party
	Key            *ContractKey
	// InNetwork: the contract is one of the ledger's network.
	InNetwork bool
	// Argument is the payload of a create and the choice argument of an exercise; ArgumentType describes it.
	Argument     lf.Value
	ArgumentType *lf.Type
	// ByKey reports whether an exercise found its contract by its key.
	ByKey bool
	// Seed is the node's own randomness: 32 bytes on creates and exercises.
	Seed [32]byte

	// The rest is for exercises; ActingParties and Interface also for fetches.
	Interface       *lf.TypeName
	Choice          string
	Consuming       bool
	ActingParties   []Party
	ChoiceObservers []Party
	Children        []int32
	Result          lf.Value
	ResultType      *lf.Type
}

// Created lists the contracts that the transaction creates, with the node that creates each, whether or not it also
// archives them.
func (t *Transaction) Created() []CreatedContract {
	var out []CreatedContract
	for _, node := range t.Nodes {
		if node.Kind == EventCreate {
			out = append(out, CreatedContract{NodeID: node.ID, Contract: node.contract(t.EffectiveAt)})
		}
	}
	return out
}

// CreatedContract is a contract and the node that created it.
type CreatedContract struct {
	NodeID   int32
	Contract Contract
}

// Consumed lists the contracts that the transaction archives, its own included, in execution order.
func (t *Transaction) Consumed() []ContractID {
	var out []ContractID
	for _, node := range t.Nodes {
		if node.Kind == EventExercise && node.Consuming {
			out = append(out, node.ContractID)
		}
	}
	return out
}

// Events are the nodes in the form that the record keeps and readers get.
func (t *Transaction) Events() []Event {
	witnesses := t.Witnesses()
	events := make([]Event, len(t.Nodes))
	for i, node := range t.Nodes {
		events[i] = node.event(witnesses[i])
	}
	return events
}

// InNetwork is the part of the transaction's update that is about contracts of the network.
func (t *Transaction) InNetwork(update Update) NetworkUpdate {
	members := make(map[ContractID]bool, len(t.Nodes))
	for _, node := range t.Nodes {
		members[node.ContractID] = node.InNetwork
	}
	return InNetwork(update, func(id ContractID) bool { return members[id] })
}

func (n TxNode) contract(createdAt time.Time) Contract {
	return Contract{
		ID: n.ContractID, Template: n.Template, PackageName: n.PackageName,
		Payload:     lf.EncodeJSON(n.ArgumentType, n.Argument),
		Signatories: n.Signatories, Observers: n.Observers, Key: n.Key, CreatedAt: createdAt, InNetwork: n.InNetwork,
	}
}

func (n TxNode) event(witnesses []Party) Event {
	event := Event{
		NodeID: n.ID, LastDescendant: n.LastDescendant, Kind: n.Kind, ContractID: n.ContractID, Template: n.Template,
		PackageName: n.PackageName, Signatories: n.Signatories, Observers: n.Observers, Witnesses: witnesses, Key: n.Key,
		Interface: n.Interface, Choice: n.Choice, Consuming: n.Consuming, ActingParties: n.ActingParties,
	}
	if n.Argument != nil {
		event.Argument = lf.EncodeJSON(n.ArgumentType, n.Argument)
	}
	if n.Result != nil {
		event.Result = lf.EncodeJSON(n.ResultType, n.Result)
	}
	return event
}
