package engine

import (
	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/ledger/lf"
)

// Text maps and generic maps differ only in their keys. Keys have the order of the language, and a key must not contain
// a function.
func mapBuiltins() map[ast.BuiltinFunction]builtinDef {
	return map[ast.BuiltinFunction]builtinDef{
		ast.TextMapEmpty:  {0, pure(func(*machine, []Value) Value { return &Map{Text: true} })},
		ast.TextMapInsert: {3, fallible(mapInsert)},
		ast.TextMapLookup: {2, fallible(mapLookup)},
		ast.TextMapDelete: {2, fallible(mapDelete)},
		ast.TextMapSize:   {1, pure(mapSize)},
		ast.TextMapToList: {1, meteredOperation(func(m *machine, args []Value) (Value, bool) {
			shape := m.program.entryShape()
			return collectEntries(m, args[0].(*Map), 6*valueBytes, func(key, value Value) Value {
				return &Struct{shape: shape, fields: []Value{key, value}}
			})
		})},
		ast.GenMapEmpty:  {0, pure(func(*machine, []Value) Value { return &Map{} })},
		ast.GenMapInsert: {3, fallible(mapInsert)},
		ast.GenMapLookup: {2, fallible(mapLookup)},
		ast.GenMapDelete: {2, fallible(mapDelete)},
		ast.GenMapSize:   {1, pure(mapSize)},
		ast.GenMapKeys: {1, meteredOperation(func(m *machine, args []Value) (Value, bool) {
			return collectEntries(m, args[0].(*Map), 0, func(key, _ Value) Value { return key })
		})},
		ast.GenMapValues: {1, meteredOperation(func(m *machine, args []Value) (Value, bool) {
			return collectEntries(m, args[0].(*Map), 0, func(_, value Value) Value { return value })
		})},
	}
}

// entryShape is the shape of the entries in TEXTMAP_TO_LIST.
func (p *Program) entryShape() *structShape { return p.shape([]string{"key", "value"}) }

// collectEntries makes a list with an element of this size for each entry.
func collectEntries(m *machine, of *Map, bytes int, take func(key, value Value) Value) (Value, bool) {
	if !m.alloc(of.Len()*(listBytes+bytes)) || !m.work(of.Len()*(listBytes+bytes)) {
		return nil, false
	}
	var out *List
	of.root.backward(func(key, value Value) { out = &List{Head: take(key, value), Tail: out} })
	return out, true
}

func mapSize(_ *machine, args []Value) Value { return lf.Int64(args[0].(*Map).Len()) }

func mapInsert(m *machine, args []Value) (Value, *Failure) {
	of := args[2].(*Map)
	if failure := m.comparable(args[0]); failure != nil {
		return nil, failure
	}
	root, failure := m.insert(of.root, args[0], args[1])
	return &Map{Text: of.Text, root: root}, failure
}

func mapLookup(m *machine, args []Value) (Value, *Failure) {
	if failure := m.comparable(args[0]); failure != nil {
		return nil, failure
	}
	found, failure := m.find(args[1].(*Map).root, args[0])
	if found == nil {
		return none, failure
	}
	m.memory -= valueBytes
	return some(found), failure
}

func mapDelete(m *machine, args []Value) (Value, *Failure) {
	of := args[1].(*Map)
	if failure := m.comparable(args[0]); failure != nil {
		return nil, failure
	}
	found, failure := m.find(of.root, args[0])
	if failure != nil || found == nil {
		return of, failure
	}
	root, failure := m.remove(of.root, args[0])
	return &Map{Text: of.Text, root: root}, failure
}
