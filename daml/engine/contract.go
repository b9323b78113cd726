package engine

import (
	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// A ledger that keeps the transaction itself calls templates with these methods. Values have the ledger's form, and all
// evaluations share one budget. An exception ends its choice; the choice outside may catch it. So errors inside a
// choice have the exception, and only the outermost choice turns it into a failure.

// contract is a contract during one computation.
type contract struct {
	*machine
	template *template
	this     Value
}

// within makes a machine for a computation on a contract. A choice in progress can catch its exceptions.
func (p *Program) within(budget *ledger.Budget, name lf.TypeName, payload lf.Value, tx *ledger.Dynamic) (
	*contract, error,
) {
	if err := budget.Ended(); err != nil {
		return nil, err
	}
	t, failure := p.template(name)
	if failure != nil {
		return nil, failure
	}
	m := p.machine(budget.Context(), Options{Budget: budget})
	m.outer, m.nested, m.explains = tx, budget.Running > 0, budget.Explains
	out := &contract{machine: m, template: t}
	if payload == nil {
		return out, nil
	}
	var err error
	out.this, err = out.read(&ast.TyCon{Name: name}, payload)
	return out, err
}

// read converts a stored value to a type of the program.
func (c *contract) read(t ast.Type, v lf.Value) (Value, error) {
	typ, err := c.program.lfTypeOf(t)
	if err != nil {
		return nil, err
	}
	out, err := c.importValue(typ, v)
	if c.failure != nil {
		return c.finish(nil, c.failure)
	}
	return out, err
}

// compute applies a definition to arguments.
func (c *contract) compute(g *global, args ...Value) (Value, error) {
	return c.finish(c.run(&Function{code: &function{name: g.name, body: definitionCall{g, args}}}, nil))
}

func (c *contract) computeParties(g *global, args ...Value) ([]ledger.Party, error) {
	list, err := c.compute(g, args...)
	if err != nil {
		return nil, err
	}
	parties, ok := c.parties(list)
	if !ok {
		_, err = c.finish(nil, c.failure)
	}
	return parties, err
}

// exportStored converts a value to the form that the ledger stores.
func (c *contract) exportStored(v Value) (lf.Value, error) {
	out, failure := c.export(v)
	if failure != nil {
		_, err := c.finish(nil, failure)
		return nil, err
	}
	c.lend()
	return out, nil
}

// Describe computes the metadata of a contract. It fails if the template's precondition does not hold.
func (p *Program) Describe(budget *ledger.Budget, name lf.TypeName, payload lf.Value) (
	out ledger.Description, err error,
) {
	c, err := p.within(budget, name, payload, nil)
	if err != nil {
		return out, err
	}
	holds, err := c.compute(c.template.precondition(), c.this)
	if err != nil {
		return out, err
	}
	if !holds.(lf.Bool) {
		_, err = c.finish(nil, (&metadata{template: c.template}).preconditionFailure())
		return out, err
	}
	if out.Signatories, err = c.computeParties(c.template.signatories(), c.this); err != nil {
		return out, err
	}
	if out.Observers, err = c.computeParties(c.template.observers(), c.this); err != nil {
		return out, err
	}
	if c.template.def.Key == nil {
		return out, nil
	}
	key, err := c.compute(c.template.key(), c.this)
	if err != nil {
		return out, err
	}
	out.Key, err = c.exportStored(key)
	return out, err
}

// Maintainers computes the maintainers of a key. Nothing can catch an exception of their expression.
func (p *Program) Maintainers(budget *ledger.Budget, name lf.TypeName, key lf.Value) ([]ledger.Party, error) {
	c, err := p.within(budget, name, nil, nil)
	if err != nil {
		return nil, err
	}
	if c.template.def.Key == nil {
		return nil, crash("template %s has no contract key", name)
	}
	c.nested = false
	read, err := c.read(c.template.def.Key.Type, key)
	if err != nil {
		return nil, err
	}
	return c.computeParties(c.template.maintainers(), read)
}

// StoredView computes the view of a contract through an interface, in the ledger's form.
func (p *Program) StoredView(budget *ledger.Budget, name, through lf.TypeName, payload lf.Value) (lf.Value, error) {
	c, err := p.within(budget, name, payload, nil)
	if err != nil {
		return nil, err
	}
	implements := c.template.def.Implementation(through)
	if implements == nil {
		return nil, crash("template %s does not implement interface %s", name, through)
	}
	view, err := c.compute(c.template.view(implements), c.this)
	if err != nil {
		return nil, err
	}
	return c.exportStored(view)
}

// choiceCall is a choice with its contract and argument.
type choiceCall struct {
	choice         *choice
	this, argument Value
}

func (c *contract) callOf(call ledger.Call) (out choiceCall, err error) {
	var failure *Failure
	out.this = c.this
	if call.Through == nil {
		out.choice, failure = c.template.choice(call.Choice)
	} else {
		out.choice, failure = c.program.interfaceChoice(*call.Through, call.Choice)
		out.this = c.template.interfaceValue(c.this)
	}
	if failure != nil {
		return out, failure
	}
	out.argument, err = c.read(out.choice.def.Argument.Type, call.Argument)
	return out, err
}

// Involved computes the parties of an exercise. Nothing can catch an exception of their expressions: it may depend on a
// contract that the catching code must not see.
func (p *Program) Involved(budget *ledger.Budget, call ledger.Call) (out ledger.ExerciseParties, err error) {
	c, err := p.within(budget, call.Template, call.Payload, nil)
	if err != nil {
		return out, err
	}
	c.nested = false
	e, err := c.callOf(call)
	if err != nil {
		return out, err
	}
	if out.Controllers, err = c.computeParties(e.choice.controllers(), e.this, e.argument); err != nil {
		return out, err
	}
	if out.Observers, err = c.computeParties(e.choice.observers(), e.this, e.argument); err != nil {
		return out, err
	}
	if e.choice.def.Authorizers == nil {
		return out, nil
	}
	out.OwnAuthors = true
	out.Authorizers, err = c.computeParties(e.choice.authorizers(), e.this, e.argument)
	return out, err
}

// Perform runs the update of a choice. The ledger keeps the transaction.
func (p *Program) Perform(tx ledger.Dynamic, call ledger.Call) (lf.Value, error) {
	budget := tx.Budget()
	c, err := p.within(budget, call.Template, call.Payload, &tx)
	if err != nil {
		return nil, err
	}
	e, err := c.callOf(call)
	if err != nil {
		return nil, err
	}
	budget.Running++
	defer func() { budget.Running-- }()
	body := &function{name: e.choice.title(), at: e.choice.def.Location, body: &choiceBody{e, call.Contract}}
	result, err := c.finish(c.run(&Function{code: body}, nil))
	if err != nil {
		return nil, err
	}
	return c.exportStored(result)
}

type choiceBody struct {
	choiceCall
	contract lf.ContractID
}

func (*choiceBody) quick(*machine) (Value, bool) { return nil, false }

func (e *choiceBody) step(m *machine) code {
	m.push(e, 0, 0, nil)
	return m.applyGlobal(e.choice.update(), e.this, e.argument, e.contract)
}

func (*choiceBody) resume(m *machine, _ *frame) code { return m.runUpdate(m.result) }

// ChoiceTypes describes the argument and the result of a choice.
func (p *Program) ChoiceTypes(def *ast.Choice) (argument, result *lf.Type, err error) {
	if argument, err = p.lfTypeOf(def.Argument.Type); err != nil {
		return nil, nil, err
	}
	result, err = p.lfTypeOf(def.ReturnType)
	return argument, result, err
}

// StoredType describes a type of stored values.
func (p *Program) StoredType(t ast.Type) (*lf.Type, error) { return p.lfTypeOf(t) }
