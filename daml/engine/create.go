package engine

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// creation waits for the metadata of a contract, and creates it.
type creation struct{ metadata *metadata }

func (m *machine) create(t *template, argument Value) code {
	if m.outer != nil {
		return m.askToCreate(t.name, argument)
	}
	c := &creation{&metadata{template: t, argument: argument}}
	m.push(c, 0, 0, nil)
	return c.metadata.compute(m)
}

func (c *creation) resume(m *machine, _ *frame) code { return c.metadata.insert(m) }

// insert adds the node of a new contract.
func (c *metadata) insert(m *machine) code {
	t := m.ledger
	argument, failure := m.export(c.argument)
	switch {
	case failure != nil:
		return m.fail(failure)
	case len(c.signatories) == 0:
		return m.fail(failureOf(fault.DamlAuthorizationError.New(
			interpretationError+"node %d (%s) has no signatories", len(t.nodes), c.template.name)))
	case c.key != nil && len(c.key.Maintainers) == 0: // upstream checks this before the authorizers
		return m.fail(failureOf(fault.CreateEmptyContractKeyMaintainers.New(
			interpretationError+"Update failed due to a contract key with an empty set of maintainers when creating %s",
			c.template.name).WithResource("TEMPLATE_ID", c.template.name.String())))
	}
	if missing := ledger.MissingParties(t.top().authorizers, c.signatories); len(missing) > 0 {
		return m.fail(t.authorizationFailure(c.template.name, c.signatories))
	}
	if failure := c.checkMaintainers(t); failure != nil {
		return m.fail(failure)
	}
	argumentType, err := m.program.LFType(c.template.name)
	if err != nil {
		return m.fail(crash("%s", err))
	}
	id, failure := t.add(ledger.TxNode{
		Kind: ledger.EventCreate, Template: c.template.name, PackageName: c.template.pkg.Name,
		Signatories: c.signatories, Observers: c.observers, Key: c.key, Argument: argument,
		ArgumentType: argumentType,
	})
	if failure != nil {
		return m.fail(failure)
	}
	node := &t.nodes[id]
	node.ContractID = ledger.LocalContractID(node.Seed, t.env.EffectiveAt, node.Stakeholders())
	out := &instance{stored: argument, contract: ledger.Contract{
		ID: node.ContractID, Template: c.template.name, PackageName: c.template.pkg.Name,
		Signatories: c.signatories, Observers: c.observers, Key: c.key, CreatedAt: t.env.EffectiveAt,
	}}
	out.addVersion(&version{instance: out, template: c.template, argument: c.argument})
	t.created[node.ContractID] = out
	t.effect(id)
	if c.key != nil {
		t.createdWith[c.key.Hash] = append(t.createdWith[c.key.Hash], out)
	}
	return m.give(node.ContractID)
}

// checkMaintainers checks that the maintainers of a key are signatories.
func (c *metadata) checkMaintainers(t *transaction) *Failure {
	if c.key == nil {
		return nil
	}
	if missing := ledger.MissingParties(c.signatories, c.key.Maintainers); len(missing) > 0 {
		return failureOf(fault.DamlAuthorizationError.New(
			interpretationError+"node %d (%s) has maintainers %s which are not a subset of the signatories %s",
			len(t.nodes), c.template.name, listParties(c.key.Maintainers), listParties(c.signatories)))
	}
	return nil
}

// parties returns the parties of a list, sorted and without duplicates; false if the run has failed.
func (m *machine) parties(v Value) ([]ledger.Party, bool) {
	list := v.(*List)
	n, ok := m.length(list)
	if !ok || !m.alloc(2*n*valueBytes) || !m.work(n*bits.Len(uint(n))*bytesPerStep) {
		return nil, false
	}
	out := make([]ledger.Party, 0, n)
	for l := list; l != nil; l = l.Tail {
		out = append(out, l.Head.(lf.Party))
	}
	return ledger.SortedParties(out), true
}

// authorizationFailure makes the failure of the next node, which lacks authorizers.
func (t *transaction) authorizationFailure(name lf.TypeName, required []ledger.Party) *Failure {
	return failureOf(fault.DamlAuthorizationError.New(
		interpretationError+"node %d (%s) requires authorizers %s, but only %s were given",
		len(t.nodes), name, listParties(required), listParties(t.top().authorizers)).
		WithHint("Submit with actAs naming the missing parties, or use a choice that they have agreed to."))
}

// maxListed bounds the parties or contracts that a message lists.
const maxListed = 50

func listParties(parties []ledger.Party) string {
	texts := make([]string, 0, maxListed)
	for _, party := range parties[:min(len(parties), maxListed)] {
		texts = append(texts, string(party))
	}
	return strings.Join(texts, ",") + andMore(len(parties)-maxListed)
}

func andMore(n int) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf(" and %d more", n)
}
