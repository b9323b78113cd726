package engine

import (
	"fmt"
	"maps"
	"slices"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/ledger/lf"
)

// builtinDef is a built-in function: the number of its arguments, and its operation.
type builtinDef struct {
	arity int
	then  operation
}

// arithmetic is an operation without a result for some arguments. Then an exception names it and its arguments.
type arithmetic struct {
	name string
	of   func(m *machine, args []Value) (Value, bool)
}

func (a arithmetic) compute(m *machine, args []Value) (Value, bool) { return a.of(m, args) }

func (a arithmetic) perform(m *machine, args []Value) code {
	if v, ok := a.of(m, args); ok {
		return m.give(v)
	}
	return m.arithmeticError(a.name, args)
}

// fallible is an operation that may fail without an exception.
type fallible func(m *machine, args []Value) (Value, *Failure)

func (f fallible) compute(m *machine, args []Value) (Value, bool) {
	v, failure := f(m, args)
	return v, failure == nil
}

func (f fallible) perform(m *machine, args []Value) code {
	v, failure := f(m, args)
	if failure != nil {
		return m.fail(failure)
	}
	return m.give(v)
}

// effect is an operation that must run exactly once: it has effects, or calls functions.
type effect func(m *machine, args []Value) code

func (effect) compute(*machine, []Value) (Value, bool) { return nil, false }
func (e effect) perform(m *machine, args []Value) code { return e(m, args) }

// builtinDefs are the built-in functions, in the groups of the specification.
func builtinDefs() map[ast.BuiltinFunction]builtinDef {
	out := coreBuiltins()
	for _, group := range []func() map[ast.BuiltinFunction]builtinDef{
		int64Builtins, numericBuiltins, textBuiltins, timeBuiltins, listBuiltins, mapBuiltins, cryptoBuiltins,
	} {
		maps.Copy(out, group())
	}
	return out
}

// builtin compiles a built-in function as a value.
func (s *scope) builtin(name ast.BuiltinFunction) code {
	def, ok := s.program.builtinDefs[name]
	if !ok {
		return s.fail("built-in function %s is not supported", name)
	}
	if def.arity == 0 {
		v, _ := def.then.compute(nil, nil)
		return &constant{value: v}
	}
	f, _ := once(s.program, s.program.builtins, name, func() (*Function, error) {
		body := &gather{then: def.then, room: def.arity}
		for i := range def.arity {
			body.parts = append(body.parts, &variable{slot: i})
		}
		return &Function{code: &function{name: name.String(), arity: def.arity, slots: 2 * def.arity, body: body}}, nil
	})
	return &constant{value: f}
}

func coreBuiltins() map[ast.BuiltinFunction]builtinDef {
	return map[ast.BuiltinFunction]builtinDef{
		ast.Trace: {2, effect(func(m *machine, args []Value) code {
			m.traces++
			if m.trace != nil {
				m.trace(string(args[0].(lf.Text)), m.here())
			}
			return m.give(args[1])
		})},
		ast.Error: {1, effect(func(m *machine, args []Value) code {
			return m.fail(failureOf(userError(string(args[0].(lf.Text)))))
		})},
		ast.FailWithStatus: {4, effect(failWithStatus)},
		ast.Equal:          {2, compareWith(func(order int) bool { return order == 0 })},
		ast.Less:           {2, compareWith(func(order int) bool { return order < 0 })},
		ast.LessEq:         {2, compareWith(func(order int) bool { return order <= 0 })},
		ast.Greater:        {2, compareWith(func(order int) bool { return order > 0 })},
		ast.GreaterEq:      {2, compareWith(func(order int) bool { return order >= 0 })},
		ast.PartyToText:    {1, pure(func(_ *machine, args []Value) Value { return lf.Text(args[0].(lf.Party)) })},
		ast.TextToParty: {1, pure(func(m *machine, args []Value) Value {
			text := string(args[0].(lf.Text))
			if lf.CheckParty(text) != nil {
				return none
			}
			m.memory -= listBytes
			return some(lf.Party(text))
		})},
		ast.ContractIDToText: {1, pure(func(m *machine, args []Value) Value {
			if m.ledger != nil { // contract ids of a transaction are not final while it runs
				return none
			}
			return some(lf.Text(args[0].(lf.ContractID)))
		})},
		ast.CoerceContractID: {1, pure(func(_ *machine, args []Value) Value { return args[0] })},
		ast.AnyExceptionMessage: {1, effect(func(m *machine, args []Value) code {
			exception := args[0].(*Any)
			name, _ := exception.Type.IsCon()
			if name == arithmeticErrorType {
				return m.give(exception.Value.(*Record).Fields[0])
			}
			f, failure := m.program.exceptionMessage(name)
			if failure != nil {
				return m.fail(failure)
			}
			return m.applyGlobal(f, exception.Value)
		})},
		ast.TypeRepTyConName: {1, pure(func(_ *machine, args []Value) Value {
			if name, ok := args[0].(*TypeRep).IsCon(); ok {
				return some(lf.Text(name.String()))
			}
			return none
		})},
	}
}

func compareWith(holds func(order int) bool) operation {
	return fallible(func(m *machine, args []Value) (Value, *Failure) {
		order, failure := m.compare(args[0], args[1])
		if failure != nil {
			return nil, failure
		}
		return boolean(holds(order)), nil
	})
}

func failWithStatus(m *machine, args []Value) code {
	metadata, size := map[string]string{}, 0
	args[3].(*Map).Each(func(key, value Value) bool {
		k, v := string(key.(lf.Text)), string(value.(lf.Text))
		if size += len(k) + len(v); size > maxMessage {
			return false
		}
		metadata[k] = v
		return true
	})
	id, category, message := args[0].(lf.Text), args[1].(lf.Int64), args[2].(lf.Text)
	return m.fail(failureOf(userFailure(string(id), int(category), string(message), metadata)))
}

// here is the innermost known place in the source.
func (m *machine) here() (at ast.Location) {
	for _, f := range slices.Backward(m.frames) {
		if place, ok := f.then.(locator); ok {
			if at = place.location(&f); !at.IsZero() {
				return at
			}
		}
	}
	if m.function != nil {
		return m.function.code.at
	}
	return at
}

// applyGlobal applies a definition to arguments.
func (m *machine) applyGlobal(g *global, args ...Value) code {
	if v, ok := g.quick(m); ok {
		return m.apply(v, args)
	}
	m.push(moreArguments{}, 0, 0, args)
	return g
}

// exceptionMessage finds the function that computes the message of an exception type.
func (p *Program) exceptionMessage(name lf.TypeName) (*global, *Failure) {
	g, err := once(p, p.others, definition{kind: "message", of: name}, func() (*global, error) {
		def := p.packages.Exception(name)
		if def == nil {
			return nil, fmt.Errorf("exception %s is not defined", name)
		}
		title := name.QualifiedName() + ":message"
		return &global{program: p, name: title, compile: compileFunction(p, title, def.Location, nil, def.Message)}, nil
	})
	if err != nil {
		return nil, crash("%s", err)
	}
	return g, nil
}
