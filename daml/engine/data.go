package engine

import "sync/atomic"

// pure is an operation without effects that cannot fail.
type pure func(m *machine, args []Value) Value

func (p pure) compute(m *machine, args []Value) (Value, bool) { return p(m, args), true }
func (p pure) perform(m *machine, args []Value) code          { return m.give(p(m, args)) }

var (
	opCons = meteredOperation(func(m *machine, args []Value) (Value, bool) {
		if !m.alloc(len(args) * listBytes) {
			return nil, false
		}
		last := len(args) - 1
		return prepend(args[:last], args[last].(*List)), true
	})
	opSome = pure(func(m *machine, args []Value) Value {
		m.memory -= valueBytes
		return some(args[0])
	})
)

// listBytes is the size of a list element.
const listBytes = 2 * valueBytes

// meteredOperation is an operation that charges memory or time by the size of its arguments; false if the run has
// failed for lack of them.
type meteredOperation func(m *machine, args []Value) (Value, bool)

func (s meteredOperation) compute(m *machine, args []Value) (Value, bool) { return s(m, args) }
func (s meteredOperation) perform(m *machine, args []Value) code          { return computeAndGive(s, m, args) }

// copyOf copies values, so that they outlive the machine's stack; false if there is no memory.
func copyOf(m *machine, values []Value) ([]Value, bool) {
	if !m.alloc((len(values)+3)*valueBytes) || !m.work(len(values)) {
		return nil, false
	}
	out := make([]Value, len(values))
	copy(out, values)
	return out, true
}

type makeRecord struct{ typ *RecordType }

func (o makeRecord) compute(m *machine, args []Value) (Value, bool) {
	fields, ok := copyOf(m, args)
	return &Record{Type: o.typ, Fields: fields}, ok
}
func (o makeRecord) perform(m *machine, args []Value) code { return computeAndGive(o, m, args) }

// computeAndGive performs an operation whose compute has a value unless the run has failed.
func computeAndGive(o operation, m *machine, args []Value) code {
	v, _ := o.compute(m, args)
	return m.give(v)
}

// project takes a field of a record.
type project struct{ index int }

func (o project) compute(_ *machine, args []Value) (Value, bool) {
	return args[0].(*Record).Fields[o.index], true
}
func (o project) perform(m *machine, args []Value) code { return computeAndGive(o, m, args) }

// updateField makes a record that differs in one field.
type updateField struct{ index int }

func (o updateField) compute(m *machine, args []Value) (Value, bool) {
	record := args[0].(*Record)
	fields, ok := copyOf(m, record.Fields)
	if !ok {
		return nil, false
	}
	fields[o.index] = args[1]
	return &Record{Type: record.Type, Fields: fields}, true
}
func (o updateField) perform(m *machine, args []Value) code { return computeAndGive(o, m, args) }

type makeVariant struct {
	typ  *SumType
	rank int
}

func (o makeVariant) compute(m *machine, args []Value) (Value, bool) {
	m.memory -= 2 * valueBytes
	return &Variant{Type: o.typ, Rank: o.rank, Value: args[0]}, true
}
func (o makeVariant) perform(m *machine, args []Value) code { return computeAndGive(o, m, args) }

// makeStruct makes a struct from fields that are not in the order of their names.
type makeStruct struct {
	shape *structShape
	order []int
}

func (o makeStruct) compute(m *machine, args []Value) (Value, bool) {
	if !m.alloc((len(args) + 3) * valueBytes) {
		return nil, false
	}
	fields := make([]Value, len(args))
	for i, from := range o.order {
		fields[i] = args[from]
	}
	return &Struct{shape: o.shape, fields: fields}, true
}
func (o makeStruct) perform(m *machine, args []Value) code { return computeAndGive(o, m, args) }

// fieldCache remembers the index of a name in the last shape.
type fieldCache struct{ last atomic.Pointer[knownField] }

type knownField struct {
	shape *structShape
	index int
}

func (c *fieldCache) index(shape *structShape, name string) int {
	if known := c.last.Load(); known != nil && known.shape == shape {
		return known.index
	}
	found := &knownField{shape: shape, index: shape.index(name)}
	c.last.Store(found)
	return found.index
}

// projectStruct takes a field of a struct.
type projectStruct struct {
	name  string
	cache fieldCache
}

func (o *projectStruct) compute(_ *machine, args []Value) (Value, bool) {
	s := args[0].(*Struct)
	return s.fields[o.cache.index(s.shape, o.name)], true
}
func (o *projectStruct) perform(m *machine, args []Value) code { return computeAndGive(o, m, args) }

// updateStruct makes a struct that differs in one field.
type updateStruct struct {
	name  string
	cache fieldCache
}

func (o *updateStruct) compute(m *machine, args []Value) (Value, bool) {
	s := args[0].(*Struct)
	fields, ok := copyOf(m, s.fields)
	if !ok {
		return nil, false
	}
	fields[o.cache.index(s.shape, o.name)] = args[1]
	return &Struct{shape: s.shape, fields: fields}, true
}
func (o *updateStruct) perform(m *machine, args []Value) code { return computeAndGive(o, m, args) }

// toAny wraps a value with its type.
type toAny struct{ typ *TypeRep }

func (o toAny) compute(m *machine, args []Value) (Value, bool) {
	m.memory -= 2 * valueBytes
	return &Any{Type: o.typ, Value: args[0]}, true
}
func (o toAny) perform(m *machine, args []Value) code { return computeAndGive(o, m, args) }

// fromAny takes out a value of the type that is expected.
type fromAny struct{ typ *TypeRep }

func (o fromAny) compute(m *machine, args []Value) (Value, bool) {
	if any := args[0].(*Any); any.Type == o.typ {
		m.memory -= valueBytes
		return some(any.Value), true
	}
	return none, true
}
func (o fromAny) perform(m *machine, args []Value) code { return computeAndGive(o, m, args) }

type throw struct{ typ *TypeRep }

func (throw) compute(*machine, []Value) (Value, bool) { return nil, false }
func (o throw) perform(m *machine, args []Value) code {
	return m.throw(&Any{Type: o.typ, Value: args[0]})
}
