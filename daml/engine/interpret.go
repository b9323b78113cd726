package engine

import (
	"context"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// Command is a command of a submission: [Create], [Exercise], [ExerciseByKey] or [CreateAndExercise].
type Command interface{ perform(m *machine) code }

// Create creates a contract.
type Create struct {
	Template lf.TypeName
	Argument Value
}

// Exercise exercises a choice of a template or of an interface.
type Exercise struct {
	Type     lf.TypeName
	Contract lf.ContractID
	Choice   string
	Argument Value
}

// ExerciseByKey exercises a choice of the first contract with a key.
type ExerciseByKey struct {
	Template lf.TypeName
	Key      Value
	Choice   string
	Argument Value
}

// CreateAndExercise is the Daml command of that name.
type CreateAndExercise struct {
	Create
	Choice         string
	ChoiceArgument Value
}

func (c Create) perform(m *machine) code {
	t, failure := m.program.template(c.Template)
	if failure != nil {
		return m.fail(failure)
	}
	return m.create(t, c.Argument)
}

func (c Exercise) perform(m *machine) code {
	if m.program.packages.Interface(c.Type) != nil {
		return m.exerciseInterface(c.Type, c.Choice, c.Contract, c.Argument, nil)
	}
	return m.exercise(c.Type, c.Choice, c.Contract, c.Argument)
}

func (c ExerciseByKey) perform(m *machine) code {
	return m.exerciseByKey(c.Template, c.Choice, c.Key, c.Argument)
}

func (c CreateAndExercise) perform(m *machine) code {
	m.push(exerciseAfterCreate{c}, 0, 0, nil)
	return c.Create.perform(m)
}

// exerciseAfterCreate waits for the contract of a CreateAndExercise.
type exerciseAfterCreate struct{ command CreateAndExercise }

func (c exerciseAfterCreate) resume(m *machine, _ *frame) code {
	return m.exercise(c.command.Template, c.command.Choice, m.result.(lf.ContractID), c.command.ChoiceArgument)
}

type commandCode struct{ command Command }

func (commandCode) quick(*machine) (Value, bool) { return nil, false }
func (p commandCode) step(m *machine) code       { return p.command.perform(m) }

// Interpretation is the result of commands.
type Interpretation struct {
	// Transaction has the nodes that take effect, without rolled-back ones.
	Transaction ledger.Transaction
	// Whole has all nodes. Rolled-back ones are below nodes of kind Rollback: they have no effect, but their informees
	// see them.
	Whole ledger.Transaction
	// Results are the results of the commands: contract ids, and results of choices.
	Results []Value
}

// Interpret runs commands in order, in one transaction. The error is a [*Failure] for a refusal, and another error if
// the host fails. Then the transactions are partial: contract ids are not final, and exercises have no results.
func (p *Program) Interpret(ctx context.Context, options Options, env Environment, commands []Command) (
	Interpretation, error,
) {
	return runWithExplain(options, func(options Options) (Interpretation, error) {
		return p.interpret(ctx, options, env, commands)
	})
}

func (p *Program) interpret(ctx context.Context, options Options, env Environment, commands []Command) (
	Interpretation, error,
) {
	m := p.machine(ctx, options)
	m.ledger = newTransaction(env)
	var last []int // the root with each command's result
	for _, command := range commands {
		body := &function{name: "command", body: commandCode{command}}
		if _, failure := m.run(&Function{code: body}, nil); failure != nil {
			_, err := m.finish(nil, failure)
			whole := m.ledger.whole()
			return Interpretation{Transaction: withoutRollbacks(whole), Whole: whole}, err
		}
		last = append(last, len(m.ledger.roots)-1)
	}
	out := Interpretation{Whole: m.ledger.whole()}
	out.Whole.AssignContractIDs()
	out.Transaction = withoutRollbacks(out.Whole)
	for _, root := range last {
		result, err := m.resultOf(out.Transaction.Nodes[out.Transaction.Roots[root]])
		switch {
		case m.failure != nil:
			_, err := m.finish(nil, m.failure)
			return Interpretation{}, err
		case err != nil:
			return Interpretation{}, err
		}
		out.Results = append(out.Results, result)
	}
	return out, nil
}

// resultOf returns the result of a node with final contract ids.
func (m *machine) resultOf(node ledger.TxNode) (Value, error) {
	if node.Kind == ledger.EventCreate {
		return node.ContractID, nil
	}
	return m.importValue(node.ResultType, node.Result)
}

// NewRecord makes a record of a type from its fields in the order of the type's definition.
func (p *Program) NewRecord(name lf.TypeName, fields ...Value) (*Record, error) {
	typ, err := p.recordType(name)
	if err != nil {
		return nil, err
	}
	if len(fields) != len(typ.Labels) {
		return nil, crash("got %d fields for type %s, which has %d", len(fields), name, len(typ.Labels))
	}
	return &Record{Type: typ, Fields: fields}, nil
}

// NewVariant makes a value of a variant type.
func (p *Program) NewVariant(name lf.TypeName, constructor string, v Value) (*Variant, error) {
	typ, rank, err := p.constructor(name, constructor)
	return &Variant{Type: typ, Rank: rank, Value: v}, err
}

// NewEnum makes a value of an enum type.
func (p *Program) NewEnum(name lf.TypeName, constructor string) (*Enum, error) {
	typ, rank, err := p.constructor(name, constructor)
	return &Enum{Type: typ, Rank: rank}, err
}

// NewAny wraps a value with its type.
func (p *Program) NewAny(t ast.Type, v Value) *Any { return &Any{Type: p.typeRep(t), Value: v} }

// NewTypeRep makes a value of a type.
func (p *Program) NewTypeRep(t ast.Type) *TypeRep { return p.typeRep(t) }

// MakeIdentity replaces the definition of a value by the identity function. Call it before using the program.
func (p *Program) MakeIdentity(name ast.ValueName) error {
	g, err := p.value(name)
	if err != nil {
		return err
	}
	body := &function{name: name.QualifiedName(), arity: 1, slots: 1, body: &variable{slot: 0}}
	g.keep(&Function{code: body})
	return nil
}
