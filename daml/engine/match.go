package engine

import (
	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/ledger/lf"
)

// match selects an alternative by a value.
type match struct {
	scrutinee code
	choose    chooser
}

// chooser finds the alternative for a value and binds its variables; nil for none.
type chooser interface {
	choose(m *machine, v Value) code
}

func (*match) quick(*machine) (Value, bool) { return nil, false }

func (c *match) step(m *machine) code {
	v, ok := c.scrutinee.quick(m)
	if !ok {
		m.push(c, 0, 0, nil)
		return c.scrutinee
	}
	return c.with(m, v)
}

func (c *match) resume(m *machine, _ *frame) code { return c.with(m, m.result) }

func (c *match) with(m *machine, v Value) code {
	if chosen := c.choose.choose(m, v); chosen != nil {
		return chosen
	}
	return m.fail(crash("no alternative matches a value of type %T", v))
}

// chooseTwo selects by the two forms of lists, optionals and booleans. A nil alternative matches nothing.
type chooseTwo struct {
	first, second code // [] or x:xs, None or Some, False or True
	bound         bool // the second form binds variables
	slots         [2]int
}

func (c *chooseTwo) choose(m *machine, v Value) code {
	switch v := v.(type) {
	case *List:
		if v == nil {
			return c.first
		}
		if c.bound {
			*m.local(c.slots[0]), *m.local(c.slots[1]) = v.Head, v.Tail
		}
	case *Optional:
		if v == nil {
			return c.first
		}
		if c.bound {
			*m.local(c.slots[0]) = v.Value
		}
	case lf.Bool:
		if !v {
			return c.first
		}
	}
	return c.second
}

// chooseRank selects by the constructor of a variant or enum.
type chooseRank struct {
	bodies []code
	slots  []int // of the variant's argument; -1 if it is not bound
}

func (c *chooseRank) choose(m *machine, v Value) code {
	switch v := v.(type) {
	case *Variant:
		if slot := c.slots[v.Rank]; slot >= 0 {
			*m.local(slot) = v.Value
		}
		return c.bodies[v.Rank]
	case *Enum:
		return c.bodies[v.Rank]
	default:
		return nil
	}
}

// chooseAlways is for values with one form, and patterns that match everything.
type chooseAlways struct{ body code }

func (c chooseAlways) choose(*machine, Value) code { return c.body }

// match compiles pattern matching: for each form of value, the first alternative that matches it.
func (s *scope) match(e *ast.ExpCase) code {
	out := &match{scrutinee: s.expr(e.Scrutinee)}
	s.within(func() { out.choose = s.chooser(e.Alternatives) })
	return out
}

func (s *scope) chooser(alternatives []ast.Alternative) chooser {
	for _, alternative := range alternatives {
		switch p := alternative.Pattern.(type) {
		case *ast.PatternVariant:
			return s.byRank(p.Type, p.Constructor, alternatives)
		case *ast.PatternEnum:
			return s.byRank(p.Type, p.Constructor, alternatives)
		case *ast.PatternNil, *ast.PatternCons, *ast.PatternNone, *ast.PatternSome, *ast.PatternBool:
			return s.byForm(alternatives)
		case *ast.PatternUnit, *ast.PatternDefault:
			return chooseAlways{s.expr(alternative.Body)}
		}
	}
	return chooseAlways{}
}

// alternative compiles the body of an alternative with variables in new slots.
func (s *scope) alternative(body ast.Expr, slots []int, names ...string) code {
	for i, name := range names {
		slots[i] = s.bind(name)
	}
	return s.expr(body)
}

func (s *scope) byForm(alternatives []ast.Alternative) chooser {
	out := &chooseTwo{}
	for _, alternative := range alternatives {
		first, second := out.first == nil, out.second == nil
		var names []string
		switch p := alternative.Pattern.(type) {
		case *ast.PatternNil, *ast.PatternNone:
			second = false
		case *ast.PatternBool:
			first, second = first && !p.Value, second && p.Value
		case *ast.PatternCons:
			first, names = false, []string{p.Head, p.Tail}
		case *ast.PatternSome:
			first, names = false, []string{p.Var}
		}
		if !first && !second {
			continue
		}
		var slots [2]int
		var body code
		s.within(func() { body = s.alternative(alternative.Body, slots[:], names...) })
		if first {
			out.first = body
		}
		if second {
			out.second, out.slots, out.bound = body, slots, len(names) > 0
		}
	}
	return out
}

func (s *scope) byRank(name lf.TypeName, constructor string, alternatives []ast.Alternative) chooser {
	typ, _, err := s.program.constructor(name, constructor)
	if check(s, typ, err); err != nil {
		return chooseAlways{}
	}
	out := &chooseRank{bodies: make([]code, len(typ.Constructors)), slots: make([]int, len(typ.Constructors))}
	for i := range out.slots {
		out.slots[i] = -1
	}
	for _, alternative := range alternatives {
		switch p := alternative.Pattern.(type) {
		case *ast.PatternVariant:
			_, rank, err := s.program.constructor(p.Type, p.Constructor)
			if check(s, rank, err); err == nil && out.bodies[rank] == nil {
				s.within(func() { out.bodies[rank] = s.alternative(alternative.Body, out.slots[rank:rank+1], p.Var) })
			}
		case *ast.PatternEnum:
			_, rank, err := s.program.constructor(p.Type, p.Constructor)
			if check(s, rank, err); err == nil && out.bodies[rank] == nil {
				out.bodies[rank] = s.expr(alternative.Body)
			}
		case *ast.PatternDefault:
			body := s.expr(alternative.Body)
			for rank := range out.bodies {
				if out.bodies[rank] == nil {
					out.bodies[rank] = body
				}
			}
		}
	}
	return out
}
