package engine

import (
	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/ledger/lf"
)

func listBuiltins() map[ast.BuiltinFunction]builtinDef {
	return map[ast.BuiltinFunction]builtinDef{
		ast.Foldl: {3, effect(func(m *machine, args []Value) code {
			return foldLeft(m, args[0], args[1], args[2].(*List))
		})},
		ast.Foldr:     {3, effect(foldRight)},
		ast.EqualList: {3, effect(equalList)},
	}
}

// foldLeft applies a function to the accumulator and each element in turn.
func foldLeft(m *machine, f, acc Value, rest *List) code {
	if rest == nil {
		return m.give(acc)
	}
	m.push(leftFold{}, 0, 0, foldState{f: f, rest: rest.Tail})
	return m.apply(f, []Value{acc, rest.Head})
}

type foldState struct {
	f    Value
	rest *List
}

type leftFold struct{}

func (leftFold) resume(m *machine, f *frame) code {
	next := f.more.(foldState)
	return foldLeft(m, next.f, m.result, next.rest)
}

// foldRight applies a function to each element and the accumulator, from the last element on.
func foldRight(m *machine, args []Value) code {
	f := args[0]
	elements, ok := m.elements(args[2].(*List))
	if !ok {
		return nil
	}
	m.result = args[1]
	return (&rightFold{f, elements}).next(m, len(elements))
}

// elements lists the elements of a list; false if the run has failed.
func (m *machine) elements(l *List) ([]Value, bool) {
	n, ok := m.length(l)
	if !ok || !m.alloc(n*valueBytes) {
		return nil, false
	}
	out := make([]Value, 0, n)
	for ; l != nil; l = l.Tail {
		out = append(out, l.Head)
	}
	return out, true
}

// length counts the elements of a list, and a step for each; false if the run has failed.
func (m *machine) length(l *List) (n int, ok bool) {
	for ; l != nil; l = l.Tail {
		if n++; n%bytesPerStep == 0 && !m.work(bytesPerStep*valueBytes) {
			return 0, false
		}
	}
	return n, true
}

// rightFold waits for the result for an element. The frame has the number of elements left.
type rightFold struct {
	f        Value
	elements []Value
}

func (r *rightFold) resume(m *machine, f *frame) code { return r.next(m, int(f.i)) }

func (r *rightFold) next(m *machine, left int) code {
	if left == 0 {
		return nil
	}
	m.push(r, int32(left-1), 0, nil)
	return m.apply(r.f, []Value{r.elements[left-1], m.result})
}

// equalList compares two lists with a function, whose first argument is the element of the second list.
func equalList(m *machine, args []Value) code {
	return equalFrom(m, args[0], args[1].(*List), args[2].(*List))
}

func equalFrom(m *machine, f Value, a, b *List) code {
	if a == nil || b == nil {
		return m.give(boolean(a == nil && b == nil))
	}
	m.push(listComparison{}, 0, 0, listPair{f, a.Tail, b.Tail})
	return m.apply(f, []Value{b.Head, a.Head})
}

type listPair struct {
	f    Value
	a, b *List
}

type listComparison struct{}

func (listComparison) resume(m *machine, f *frame) code {
	if !m.result.(lf.Bool) {
		return nil
	}
	next := f.more.(listPair)
	return equalFrom(m, next.f, next.a, next.b)
}
