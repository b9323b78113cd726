package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// Rollback is the kind of nodes whose children a caught exception nodes back. Such nodes have only children, and are
// in normal form: none is empty, and none begins or ends with another.
const Rollback ledger.EventKind = "rollback"

// mark is a point of a transaction for a rollback: the number of nodes below the current one, and of changes.
type mark struct {
	frames, children, effects int
	outer                     ledger.Mark // of a transaction that the ledger keeps
}

func (m *machine) mark() mark {
	t := m.ledger
	switch {
	case m.outer != nil:
		return mark{outer: m.outer.Mark()}
	case t == nil:
		return mark{}
	}
	return mark{frames: len(t.frames), children: len(*t.siblings()), effects: len(t.effects)}
}

// siblings are the nodes below the current one.
func (t *transaction) siblings() *[]int32 {
	if top := t.top(); top.node >= 0 {
		return &t.nodes[top.node].Children
	}
	return &t.roots
}

// effect records that a node creates or archives a contract.
func (t *transaction) effect(id int32) { t.effects = append(t.effects, id) }

// rollback undoes the changes since a mark.
func (m *machine) rollback(to mark) *Failure {
	if m.outer != nil {
		if refusal, refused := fault.As(m.outer.TakeBack(to.outer)); refused {
			return failureOf(refusal)
		}
		return nil
	}
	t := m.ledger
	if t == nil {
		return nil
	}
	effects := t.effects[to.effects:]
	if len(effects) > 0 && !t.env.TakeBack {
		return t.effectfulRollback(effects)
	}
	for _, id := range effects {
		node := &t.nodes[id]
		if node.Kind != ledger.EventCreate {
			delete(t.consumed, node.ContractID)
			continue
		}
		delete(t.created, node.ContractID)
		if node.Key != nil { // the last created contract is the first to go
			of := t.createdWith[node.Key.Hash]
			t.createdWith[node.Key.Hash] = of[:len(of)-1]
		}
	}
	t.effects, t.frames = t.effects[:to.effects], t.frames[:to.frames]
	siblings := t.siblings()
	nodes := t.wrapInRollback(slices.Clone((*siblings)[to.children:]))
	siblings = t.siblings() // wrapInRollback may have moved the nodes
	*siblings = append((*siblings)[:to.children], nodes...)
	return nil
}

// wrapInRollback wraps nodes in a rollback node, in normal form: rollback nodes at the beginning stay beside it, and
// one at the end becomes part of it. (The specification calls this ℝ.)
func (t *transaction) wrapInRollback(ids []int32) []int32 {
	isRollback := func(id int32) bool { return t.nodes[id].Kind == Rollback }
	first := slices.IndexFunc(ids, func(id int32) bool { return !isRollback(id) })
	if first < 0 {
		return ids
	}
	before, within := ids[:first], slices.Clone(ids[first:])
	if last := len(within) - 1; isRollback(within[last]) {
		within = append(within[:last], t.nodes[within[last]].Children...)
	}
	t.nodes = append(t.nodes, ledger.TxNode{Kind: Rollback, Children: within})
	return append(before, int32(len(t.nodes)-1))
}

func (t *transaction) effectfulRollback(ids []int32) *Failure {
	var effects []string
	for _, id := range ids[:min(len(ids), maxListed)] {
		node := t.nodes[id]
		if node.Kind == ledger.EventCreate {
			effects = append(effects, fmt.Sprintf("Create of %s (%s)", node.Template, node.ContractID))
		} else {
			effects = append(effects, fmt.Sprintf("Consuming exercise of %s on %s (%s)", node.Choice, node.Template,
				node.ContractID))
		}
	}
	return failureOf(fault.DamlEffectfulRollbackError.New(
		interpretationError+"Tried to rollback side-effectful node(s): %s%s", strings.Join(effects, ", "),
		andMore(len(ids)-maxListed)))
}

// whole is the transaction so far, with the nodes-back nodes.
func (t *transaction) whole() ledger.Transaction {
	out := ledger.Transaction{EffectiveAt: t.env.EffectiveAt, Earliest: timeOf(t.earliest), Latest: timeOf(t.latest)}
	out.Nodes, out.Roots = inOrder(t.nodes, t.roots, func(ledger.TxNode) bool { return true })
	for _, id := range t.order {
		out.Inputs = append(out.Inputs, t.inputs[id].contract)
	}
	return out
}

// withoutRollbacks removes the nodes-back nodes of a transaction.
func withoutRollbacks(whole ledger.Transaction) ledger.Transaction {
	holds := func(node ledger.TxNode) bool { return node.Kind != Rollback }
	if slices.ContainsFunc(whole.Nodes, func(node ledger.TxNode) bool { return !holds(node) }) {
		whole.Nodes, whole.Roots = inOrder(whole.Nodes, whole.Roots, holds)
	}
	return whole
}

// inOrder numbers the nodes of a transaction in the order of execution. It leaves out nodes that do not count, with all
// nodes below them.
func inOrder(nodes []ledger.TxNode, roots []int32, counts func(ledger.TxNode) bool) ([]ledger.TxNode, []int32) {
	out := make([]ledger.TxNode, 0, len(nodes))
	var number func(ids []int32) []int32
	number = func(ids []int32) []int32 {
		var numbers []int32
		for _, id := range ids {
			if !counts(nodes[id]) {
				continue
			}
			n := int32(len(out))
			numbers = append(numbers, n)
			out = append(out, nodes[id])
			children := number(nodes[id].Children)
			out[n].ID, out[n].Children, out[n].LastDescendant = n, children, int32(len(out)-1)
		}
		return numbers
	}
	roots = number(roots)
	return out, roots
}
