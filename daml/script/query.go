package script

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/florinledger/florin/daml/engine"
	"github.com/florinledger/florin/ledger/lf"
)

// typeOf is the template or interface in a field.
func (q *question) typeOf(name string) lf.TypeName {
	return q.reader.typeName(field[*engine.Record](q.reader, q.payload, name))
}

// queryACS lists the active contracts of a template.
func (q *question) queryACS() (engine.Value, error) {
	parties, template := q.parties(), q.typeOf("tplId")
	if q.reader.err != nil {
		return nil, q.reader.err
	}
	all, err := q.ledger.contracts(q, parties, template)
	return q.pairs(all, template), err
}

// pairs makes pairs of a contract id and a payload.
func (q *question) pairs(all []foundContract, template lf.TypeName) engine.Value {
	return listOf(all, func(c foundContract) engine.Value { return q.make.pair(c.id, q.make.template(template, c.value)) })
}

// queryContractID finds a contract, with its disclosure.
func (q *question) queryContractID() (engine.Value, error) {
	parties, template, id := q.parties(), q.typeOf("tplId"), field[lf.ContractID](q.reader, q.payload, "cid")
	if q.reader.err != nil {
		return nil, q.reader.err
	}
	c, err := q.ledger.contract(q, parties, template, id)
	if err != nil || c == nil {
		return none, err
	}
	return some(q.make.record(tuple3, fieldValues{
		"_1": q.make.template(template, c.value), "_2": q.make.typeRep(template), "_3": lf.Text(c.blob),
	})), nil
}

// sameName reports whether the packages of two types are versions of one package.
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
	all, err := q.ledger.views(q, parties, of)
	return listOf(all, func(c foundContract) engine.Value { return q.make.pair(c.id, c.value) }), err
}

// queryInterfaceContractID finds the view of a contract.
func (q *question) queryInterfaceContractID() (engine.Value, error) {
	parties, of, id := q.parties(), q.typeOf("interfaceId"), field[lf.ContractID](q.reader, q.payload, "cid")
	if q.reader.err != nil {
		return nil, q.reader.err
	}
	return q.ledger.view(q, parties, of, id)
}

// view computes the view of a contract in the selected version of its package, None if the view fails. It reports
// whether that version implements the interface.
func (q *question) view(e *entry, of lf.TypeName, names map[string]lf.PackageID) (engine.Value, bool, error) {
	template := e.Template
	if id, ok := names[e.PackageName]; ok {
		template.Package = id
	}
	def := q.suite.packages.Template(template)
	if def == nil || def.Implementation(of) == nil {
		return none, false, nil
	}
	argument, err := q.importValue(template, e.Argument)
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

// queryByKey finds the first contract with a key.
func (q *question) queryByKey() (engine.Value, error) {
	all, template, err := q.byKey("key", 1)
	if err != nil || len(all) == 0 {
		return none, err
	}
	return some(q.make.pair(all[0].id, q.make.template(template, all[0].value))), nil
}

// queryNByKey lists a limited number of contracts with a key.
func (q *question) queryNByKey() (engine.Value, error) {
	all, template, err := q.byKey("contractKey", int64(field[lf.Int64](q.reader, q.payload, "limit")))
	return q.pairs(all, template), err
}

// byKey lists contracts of a template with a key.
func (q *question) byKey(name string, limit int64) ([]foundContract, lf.TypeName, error) {
	parties, template := q.parties(), q.typeOf("tplId")
	key := q.reader.key(field[*engine.Record](q.reader, q.payload, name))
	if q.reader.err != nil {
		return nil, template, q.reader.err
	}
	hash, err := q.suite.program.KeyHash(q.ctx, template, key)
	if err != nil {
		return nil, template, err
	}
	all, err := q.ledger.byKey(q, parties, template, hash, limit)
	return all, template, err
}

// allocateParty makes a party with a new name.
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
	party, err := q.ledger.allocate(q, name, hint != "")
	return party, err
}

func (q *question) listKnownParties() (engine.Value, error) {
	all, err := q.ledger.knownParties(q)
	return listOf(all, func(party knownParty) engine.Value {
		return q.make.record(q.make.in(partiesModule, "PartyDetails"), fieldValues{
			"party": party.id, "isLocal": lf.Bool(party.local), "displayName": none,
		})
	}), err
}

func (q *question) getTime() (engine.Value, error) {
	now, err := q.ledger.time(q)
	return lf.TimestampOf(now), err
}

func (q *question) setTime() (engine.Value, error) {
	at := field[lf.Timestamp](q.reader, q.payload, "time")
	if q.reader.err != nil {
		return nil, q.reader.err
	}
	return unit, q.ledger.setTime(q, at.Time())
}

// sleep lets time pass.
func (q *question) sleep() (engine.Value, error) {
	var lasts lf.Int64
	if duration, ok := lookup(q.payload, "duration"); ok {
		lasts = only[lf.Int64](q.reader, as[*engine.Record](q.reader, duration))
	}
	if q.reader.err != nil {
		return nil, q.reader.err
	}
	return unit, q.ledger.sleep(q, time.Duration(lasts)*time.Microsecond)
}
