package engine

import (
	"fmt"
	"slices"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// maxKeyFetches bounds the contracts that one key looks up.
const maxKeyFetches = 1_000_000

// tuple2 is the type of a result of a lookup by key: a contract id and a contract.
var tuple2 = &RecordType{
	Name: lf.TypeName{
		Package: "5aee9b21b8e9a4c4975b5f4c4198e6e6e8469df49e2010820e792f393db870f4", Module: "DA.Types", Entity: "Tuple2",
	},
	Labels: []string{"_1", "_2"},
}

// key computes the contract's key from its argument, maintainers the parties from the key.
func (t *template) key() *global { return t.of("key", t.def.Key.Key) }

func (t *template) maintainers() *global {
	return t.program.define(definition{kind: "maintainer", of: t.name}, t.def.Location, nil, t.def.Key.Maintainers)
}

// contractKey converts a key to the ledger's form.
func (m *machine) contractKey(t *template, key Value, maintainers []ledger.Party) (*ledger.ContractKey, *Failure) {
	value, failure := m.export(key)
	if failure != nil {
		return nil, failure
	}
	if len(lf.ContractIDs(value)) > 0 {
		return nil, failureOf(fault.ContractIDInContractKey.New(
			interpretationError+"Contract IDs are not supported in contract keys: the key of %s contains one", t.name))
	}
	keyType, err := m.program.lfTypeOf(t.def.Key.Type)
	if err != nil {
		return nil, crash("%s", err)
	}
	encoded := lf.EncodeJSON(keyType, value)
	if !m.alloc(len(encoded)) || !m.work(2*len(encoded)) {
		return nil, m.failure
	}
	return &ledger.ContractKey{
		Value: encoded, Hash: ledger.KeyHash(t.pkg.Name, t.name, encoded), Maintainers: maintainers,
	}, nil
}

// keyInputs are the ledger's answers about a key.
type keyInputs struct {
	contracts []*instance // the first contracts with the key, in the order of the ledger
	all       bool        // there are no others
}

// lookupKey finds at most n active contracts with a key: those of this transaction, the newest first, then those of
// the ledger in its order.
func (m *machine) lookupKey(key *ledger.ContractKey, n int) ([]*instance, *Failure) {
	t := m.ledger
	active := func(among []*instance) []*instance {
		return slices.DeleteFunc(slices.Clone(among), func(i *instance) bool { return t.consumed[i.contract.ID] })
	}
	var out []*instance
	for _, created := range slices.Backward(t.createdWith[key.Hash]) {
		out = append(out, created)
	}
	out = active(out)
	inputs := t.keys[key.Hash]
	if inputs == nil {
		inputs = &keyInputs{}
		t.keys[key.Hash] = inputs
	}
	for m.work((len(t.createdWith[key.Hash]) + len(inputs.contracts)) * valueBytes) {
		known := active(inputs.contracts)
		if missing := n - len(out) - len(known); missing > 0 && !inputs.all {
			if failure := m.askForKey(key, inputs, len(inputs.contracts)+missing); failure != nil {
				return nil, failure
			}
			continue
		}
		out = append(out, known...)
		if !m.alloc(len(out)*valueBytes) || !m.work(len(out)*valueBytes) {
			return nil, m.failure
		}
		return out[:min(n, len(out))], nil
	}
	return nil, m.failure
}

// askForKey asks the ledger for the first contracts with a key.
func (m *machine) askForKey(key *ledger.ContractKey, inputs *keyInputs, limit int) *Failure {
	contracts, err := m.ledger.env.Host.ContractsByKey(m.ctx, *key, limit)
	if err == nil && (len(contracts) > limit || len(contracts) < len(inputs.contracts)) {
		err = fmt.Errorf("got %d contracts, expected between %d and %d", len(contracts), len(inputs.contracts), limit)
	}
	if err != nil {
		return &Failure{err: fmt.Errorf("key %s: %w", key.Hash, err)}
	}
	inputs.all = len(contracts) < limit
	for _, contract := range contracts[len(inputs.contracts):] {
		if contract.Key == nil || contract.Key.Hash != key.Hash {
			return &Failure{err: fmt.Errorf("key %s: contract %s has a different key", key.Hash, contract.ID)}
		}
		found := m.ledger.inputs[contract.ID]
		if found == nil {
			found = m.ledger.admit(contract)
		}
		inputs.contracts = append(inputs.contracts, found)
	}
	return nil
}

// byKey computes the maintainers of a key, then looks up contracts. Nothing can catch an exception of the maintainers'
// expression.
type byKey struct {
	template *template
	key      Value
	found    *ledger.ContractKey
	then     func(b *byKey, m *machine) code
}

// byKey computes the maintainers of a key, and continues with then.
func (m *machine) byKey(name lf.TypeName, key Value, then func(b *byKey, m *machine) code) code {
	t, failure := m.program.template(name)
	if failure != nil {
		return m.fail(failure)
	}
	if t.def.Key == nil {
		return m.fail(crash("template %s has no contract key", name))
	}
	m.push(&byKey{template: t, key: key, then: then}, 0, 0, nil)
	return m.applyGlobal(t.maintainers(), key)
}

func (b *byKey) resume(m *machine, _ *frame) code {
	maintainers, ok := m.parties(m.result)
	if !ok {
		return nil
	}
	var failure *Failure
	if b.found, failure = m.contractKey(b.template, b.key, maintainers); failure != nil {
		return m.fail(failure)
	}
	if len(maintainers) == 0 {
		return m.fail(failureOf(fault.FetchEmptyContractKeyMaintainers.New(
			interpretationError+"Update failed due to a fetch, lookup or exercise by key of contract key with no maintainers: "+
				"template %s", b.template.name).WithResource("TEMPLATE_ID", b.template.name.String())))
	}
	return b.then(b, m)
}

func (b *byKey) handle(m *machine, _ *frame, thrown *Failure) code { return m.handleUncaught(thrown) }

// one continues with the first contract that has the key.
func (b *byKey) one(m *machine, then func(found *version) code) code {
	found, failure := m.lookupKey(b.found, 1)
	switch {
	case failure != nil:
		return m.fail(failure)
	case len(found) == 0:
		return m.fail(failureOf(fault.ContractKeyNotFound.New("dependency error: couldn't find key %s", b.shortKey()).
			WithResource("CONTRACT_KEY", b.shortKey()).
			WithResource("TEMPLATE_ID", b.template.name.String()).
			WithResource("PACKAGE_NAME", b.template.pkg.Name)))
	default:
		return m.as(b.template, found, func(versions []*version) code { return then(versions[0]) })
	}
}

func (b *byKey) shortKey() string { return fault.Shorten(string(b.found.Value)) }

// fetchByKey reads the first contract with a key.
func (m *machine) fetchByKey(name lf.TypeName, key Value) code {
	if m.outer != nil {
		t, failure := m.program.template(name)
		if failure != nil {
			return m.fail(failure)
		}
		return m.askToFetchByKey(t, key)
	}
	return m.byKey(name, key, func(b *byKey, m *machine) code {
		return b.one(m, func(found *version) code {
			if failure := m.insertFetch(found, nil, true); failure != nil {
				return m.fail(failure)
			}
			m.memory -= 6 * valueBytes
			return m.give(found.asTuple())
		})
	})
}

func (v *version) asTuple() Value {
	return &Record{Type: tuple2, Fields: []Value{v.contract.ID, v.argument}}
}

// exerciseByKey exercises a choice of the first contract with a key.
func (m *machine) exerciseByKey(name lf.TypeName, choiceName string, key, argument Value) code {
	if m.outer != nil {
		t, c, failure := m.program.templateChoice(name, choiceName)
		if failure != nil {
			return m.fail(failure)
		}
		return m.askToExerciseByKey(t, c, key, argument)
	}
	return m.byKey(name, key, func(b *byKey, m *machine) code {
		return b.one(m, func(found *version) code { return m.exerciseVersion(found, choiceName, argument, true) })
	})
}

// queryByKey lists at most n contracts with a key. All maintainers of the key must authorize it.
func (m *machine) queryByKey(name lf.TypeName, n int64, key Value, result func(found []Value) Value) code {
	if n < 1 {
		return m.fail(crash("a query by key has limit %d, and the limit must be at least 1", n))
	}
	if m.outer != nil {
		t, failure := m.program.template(name)
		if failure != nil {
			return m.fail(failure)
		}
		return m.askByKey(t, key, result)
	}
	return m.byKey(name, key, func(b *byKey, m *machine) code {
		t := m.ledger
		if missing := ledger.MissingParties(t.top().authorizers, b.found.Maintainers); len(missing) > 0 {
			return m.fail(failureOf(fault.DamlAuthorizationError.New(interpretationError+
				"node %d (%s) requires authorizers %s for lookup by key, but it only has %s",
				len(t.nodes), b.template.name, listParties(b.found.Maintainers), listParties(t.top().authorizers)).
				WithHint("A lookup by key needs the authority of all maintainers of the key.")))
		}
		found, failure := m.lookupKey(b.found, int(min(n, maxKeyFetches)))
		if failure != nil {
			return m.fail(failure)
		}
		return m.as(b.template, found, func(versions []*version) code {
			if !m.alloc(len(versions) * (6*valueBytes + listBytes)) {
				return nil
			}
			pairs := make([]Value, len(versions))
			for i, contract := range versions {
				pairs[i] = contract.asTuple()
			}
			return m.give(result(pairs))
		})
	})
}

// contractPairs returns contracts with their ids: Some of a list of pairs.
func contractPairs(found []Value) Value { return some(ListOf(found...)) }

// firstContractID returns the id of the first contract, or None.
func firstContractID(found []Value) Value {
	if len(found) == 0 {
		return none
	}
	return some(found[0].(*Record).Fields[0])
}

// No variable of a package can have these names.
const (
	keyName   = "key of a lookup"
	limitName = "limit of a lookup"
)

// keyUpdate compiles updates that find contracts by keys; nil for other expressions. Some of them are functions.
func (s *scope) keyUpdate(e ast.Expr) code {
	key := &ast.ExpVar{Name: keyName}
	switch e := e.(type) {
	case *ast.UpdateExerciseByKey:
		return s.onLedger(func(m *machine, args []Value) code {
			return m.exerciseByKey(e.Template, e.Choice, args[0], args[1])
		}, e.Key, e.Argument)
	case *ast.UpdateFetchByKey:
		return s.lambda([]string{keyName}, func(inner *scope) code {
			return inner.onLedger(func(m *machine, args []Value) code { return m.fetchByKey(e.Template, args[0]) }, key)
		})
	case *ast.UpdateLookupByKey:
		return s.lambda([]string{keyName}, func(inner *scope) code {
			return inner.onLedger(func(m *machine, args []Value) code {
				return m.queryByKey(e.Template, 1, args[0], firstContractID)
			}, key)
		})
	case *ast.UpdateQueryNByKey:
		return s.lambda([]string{limitName, keyName}, func(inner *scope) code {
			return inner.onLedger(func(m *machine, args []Value) code {
				return m.queryByKey(e.Template, int64(args[0].(lf.Int64)), args[1], contractPairs)
			}, &ast.ExpVar{Name: limitName}, key)
		})
	default:
		return nil
	}
}
