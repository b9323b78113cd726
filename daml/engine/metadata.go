package engine

import (
	"slices"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// metadata is the metadata of a contract. Its template computes it in steps.
type metadata struct {
	template    *template
	argument    Value
	signatories []ledger.Party
	observers   []ledger.Party
	keyValue    Value
	key         *ledger.ContractKey // nil if the template has none
}

// The steps of the computation.
const (
	checkPrecondition = iota
	findSignatories
	findObservers
	findKey
	findMaintainers
)

// compute computes the metadata, then resumes the continuation below.
func (c *metadata) compute(m *machine) code {
	return c.next(m, checkPrecondition, c.template.precondition())
}

func (c *metadata) next(m *machine, step int32, of *global) code {
	m.push(c, step, 0, nil)
	return m.applyGlobal(of, c.argument)
}

func (c *metadata) resume(m *machine, f *frame) code {
	var ok bool
	switch f.i {
	case checkPrecondition:
		if !m.result.(lf.Bool) {
			return m.fail(c.preconditionFailure())
		}
		return c.next(m, findSignatories, c.template.signatories())
	case findSignatories:
		if c.signatories, ok = m.parties(m.result); !ok {
			return nil
		}
		return c.next(m, findObservers, c.template.observers())
	case findKey:
		c.keyValue = m.result
		m.push(c, findMaintainers, 0, nil)
		return m.applyGlobal(c.template.maintainers(), c.keyValue)
	case findMaintainers:
		maintainers, ok := m.parties(m.result)
		if !ok {
			return nil
		}
		var failure *Failure
		if c.key, failure = m.contractKey(c.template, c.keyValue, maintainers); failure != nil {
			return m.fail(failure)
		}
		return nil
	default:
		if c.observers, ok = m.parties(m.result); !ok {
			return nil
		}
		c.observers = slices.DeleteFunc(c.observers, func(party ledger.Party) bool {
			return ledger.PartiesContain(c.signatories, party)
		})
		if c.template.def.Key != nil {
			return c.next(m, findKey, c.template.key())
		}
		return nil
	}
}

func (c *metadata) preconditionFailure() *Failure {
	return failureOf(fault.TemplatePreconditionViolated.New(
		interpretationError+"Update failed due to precondition violation when creating %s", c.template.name).
		WithResource("TEMPLATE_ID", c.template.name.String()))
}
