package script

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/florinledger/florin/daml/engine"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// typeOf is the template or interface that a field names.
func (q *question) typeOf(name string) lf.TypeName {
	return q.reader.typeName(field[*engine.Record](q.reader, q.payload, name))
}

// queryACS lists the active contracts of a template that some parties see.
func (q *question) queryACS() (engine.Value, error) {
	parties, template := q.parties(), q.typeOf("tplId")
	if q.reader.err != nil {
		return nil, q.reader.err
	}
	var out []engine.Value
	for _, e := range q.ledger.active(parties) {
		if e.Template != template {
			continue
		}
		argument, err := q.suite.program.Import(e.Template, e.Argument)
		if err != nil {
			return nil, err
		}
		out = append(out, q.make.pair(e.ID, q.make.template(template, argument)))
	}
	return engine.ListOf(out...), nil
}

// asked is the contract that a query names; nil when the parties see no such active contract.
func (q *question) asked() (*entry, error) {
	parties, id := q.parties(), field[lf.ContractID](q.reader, q.payload, "cid")
	if q.reader.err != nil {
		return nil, q.reader.err
	}
	return q.ledger.find(id, parties), nil
}

// queryContractID finds a contract, with what discloses it to others.
func (q *question) queryContractID() (engine.Value, error) {
	template := q.typeOf("tplId")
	e, err := q.asked()
	if err != nil || e == nil {
		return none, err
	}
	if e.Template.QualifiedName() != template.QualifiedName() || !q.sameName(e.Template, template) {
		return none, nil
	}
	argument, err := q.imported(template, e.Argument)
	if err != nil {
		return nil, err
	}
	blob, err := e.blob()
	return some(q.make.record(tuple3, named{
		"_1": q.make.template(template, argument), "_2": q.make.typeRep(template), "_3": lf.Text(blob),
	})), err
}

// sameName reports whether two types are of versions of one package.
func (q *question) sameName(a, b lf.TypeName) bool {
	if a.Package == b.Package {
		return true
	}
	one, other := q.suite.packages[a.Package], q.suite.packages[b.Package]
	return one != nil && other != nil && one.Name == other.Name
}

// queryInterface lists the active contracts that implement an interface, with their views.
func (q *question) queryInterface() (engine.Value, error) {
	parties, of := q.parties(), q.typeOf("interfaceId")
	if q.reader.err != nil {
		return nil, q.reader.err
	}
	names, err := q.ledger.preferred(nil)
	if err != nil {
		return nil, err
	}
	var out []engine.Value
	for _, e := range q.ledger.active(parties) {
		view, implements, err := q.view(e, of, names)
		if err != nil {
			return nil, err
		}
		if implements {
			out = append(out, q.make.pair(e.ID, view))
		}
	}
	return engine.ListOf(out...), nil
}

// queryInterfaceContractID finds the view of a contract.
func (q *question) queryInterfaceContractID() (engine.Value, error) {
	of := q.typeOf("interfaceId")
	e, err := q.asked()
	if err != nil || e == nil {
		return none, err
	}
	names, err := q.ledger.preferred(nil)
	if err != nil {
		return nil, err
	}
	view, _, err := q.view(e, of, names)
	return view, err
}

// view is the view of a contract, none where it fails, by the version of its package that the package's name stands
// for; and whether that implements the interface.
func (q *question) view(e *entry, of lf.TypeName, names map[string]lf.PackageID) (engine.Value, bool, error) {
	template := e.Template
	if id, ok := names[e.PackageName]; ok {
		template.Package = id
	}
	def := q.suite.packages.Template(template)
	if def == nil || def.Implementation(of) == nil {
		return none, false, nil
	}
	argument, err := q.imported(template, e.Argument)
	if err != nil {
		return nil, true, err
	}
	view, err := q.suite.program.View(q.ctx, q.evaluation, template, of, argument)
	if _, failed := errors.AsType[*engine.Failure](err); failed {
		return none, true, nil
	}
	if err != nil {
		return nil, true, err
	}
	return some(view), true, nil
}

// queryByKey finds the first contract that has a key.
func (q *question) queryByKey() (engine.Value, error) {
	found, err := q.byKey("key", 1)
	if err != nil || len(found) == 0 {
		return none, err
	}
	return some(found[0]), nil
}

// queryNByKey lists contracts that have a key, no more than so many.
func (q *question) queryNByKey() (engine.Value, error) {
	found, err := q.byKey("contractKey", int64(field[lf.Int64](q.reader, q.payload, "limit")))
	return engine.ListOf(found...), err
}

// byKey lists contracts of a template that have a key and that some parties see.
func (q *question) byKey(name string, limit int64) ([]engine.Value, error) {
	parties, template := q.parties(), q.typeOf("tplId")
	key := q.reader.key(field[*engine.Record](q.reader, q.payload, name))
	if q.reader.err != nil {
		return nil, q.reader.err
	}
	hash, err := q.suite.program.KeyHash(q.ctx, template, key)
	if err != nil {
		return nil, err
	}
	var out []engine.Value
	for _, e := range q.ledger.withKey(hash) {
		if int64(len(out)) >= limit {
			break
		}
		if !e.visible(parties) {
			continue
		}
		argument, err := q.imported(template, e.Argument)
		if err != nil {
			return nil, err
		}
		out = append(out, q.make.pair(e.ID, q.make.template(template, argument)))
	}
	return out, nil
}

// allocateParty makes a party of a name that no other has.
func (q *question) allocateParty() (engine.Value, error) {
	hint := string(field[lf.Text](q.reader, q.payload, "idHint"))
	name, requested := hint, ""
	for _, label := range []string{"requestedName", "displayName"} { // the new and the old name of the field
		if v, ok := lookup(q.payload, label); ok && requested == "" {
			requested = string(as[lf.Text](q.reader, v))
		}
	}
	name = cmp.Or(name, requested)
	if q.reader.err != nil {
		return nil, q.reader.err
	}
	if requested != "" && hint != "" && requested != hint {
		return nil, fmt.Errorf("requested name %q cannot be different from the id hint %q", requested, hint)
	}
	party, err := q.ledger.allocate(name, hint != "")
	return party, err
}

// listKnownParties lists all parties.
func (q *question) listKnownParties() (engine.Value, error) {
	return listOf(q.ledger.parties, func(party ledger.Party) engine.Value {
		return q.make.record(q.make.in(partiesModule, "PartyDetails"), named{
			"party": party, "isLocal": lf.Bool(true), "displayName": none,
		})
	}), nil
}

// getTime reads the ledger's time.
func (q *question) getTime() (engine.Value, error) { return lf.TimestampOf(q.ledger.now), nil }

// setTime sets the ledger's time, which may go back.
func (q *question) setTime() (engine.Value, error) {
	at := field[lf.Timestamp](q.reader, q.payload, "time")
	q.ledger.now = at.Time()
	return unit, nil
}

// sleep takes no time: the ledger's own passes by setTime and passTime alone.
func (q *question) sleep() (engine.Value, error) { return unit, nil }
