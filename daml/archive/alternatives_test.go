package archive_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/florinledger/florin/daml/archive"
	"github.com/florinledger/florin/daml/archive/archivepb"
	"github.com/florinledger/florin/daml/ast"
)

// filler makes messages that are well-formed.
type filler struct {
	unit *archivepb.Type
	def  *archivepb.DefRef
}

func newFiller(b *builder) filler {
	module := &archivepb.ModuleRef{
		Package:   &archivepb.PackageRef{Sum: &archivepb.PackageRef_Self{Self: &archivepb.Unit{}}},
		NameDname: b.main().GetNameDname(),
	}
	return filler{
		unit: b.typ(builtinType(archivepb.BuiltinType_UNIT)), def: &archivepb.DefRef{Module: module},
	}
}

// fill sets every field that holds a message: of a choice between fields one, lists to one element, expressions to a
// literal, types to a reference to unit.
func (f filler) fill(message protoreflect.Message) {
	fields := message.Descriptor().Fields()
	for i := range fields.Len() {
		field := fields.Get(i)
		if field.ContainingOneof() != nil && message.WhichOneof(field.ContainingOneof()) != nil {
			continue // one of them is enough
		}
		if field.Message() == nil {
			continue
		}
		content := f.of(field.Message(), message.NewField(field))
		if field.IsList() {
			list := message.Mutable(field).List()
			list.Append(content)
		} else {
			message.Set(field, content)
		}
	}
}

// of makes the content of a field that holds a message.
func (f filler) of(descriptor protoreflect.MessageDescriptor, empty protoreflect.Value) protoreflect.Value {
	switch descriptor.Name() {
	case "Expr":
		return protoreflect.ValueOfMessage(intLiteral(1).ProtoReflect())
	case "Type":
		return protoreflect.ValueOfMessage(f.unit.ProtoReflect())
	case "DefRef":
		return protoreflect.ValueOfMessage(f.def.ProtoReflect())
	case "Location":
		return protoreflect.ValueOfMessage((&archivepb.Location{Range: &archivepb.Location_Range{}}).ProtoReflect())
	}
	var inner protoreflect.Message
	if list, ok := empty.Interface().(protoreflect.List); ok {
		inner = list.NewElement().Message()
	} else {
		inner = empty.Message().New()
	}
	f.fill(inner)
	return protoreflect.ValueOfMessage(inner)
}

// each makes one message for each alternative of a message's choice.
func (f filler) each(make func() protoreflect.Message, use func(name protoreflect.Name, m protoreflect.Message)) {
	oneof := make().Descriptor().Oneofs().Get(0)
	for i := range oneof.Fields().Len() {
		message := make()
		field := oneof.Fields().Get(i)
		if field.Message() != nil {
			message.Set(field, f.of(field.Message(), message.NewField(field)))
		} else {
			message.Set(field, field.Default())
		}
		f.fill(message)
		use(field.Name(), message)
	}
}

// expressions has every kind of expression, update, pattern and literal.
func expressions(b *builder) []*archivepb.Expr {
	f := newFiller(b)
	var out []*archivepb.Expr
	add := func(e *archivepb.Expr) { out = append(out, e) }
	f.each(func() protoreflect.Message { return (&archivepb.Expr{}).ProtoReflect() },
		func(name protoreflect.Name, m protoreflect.Message) {
			switch name {
			case "interned", "unsafe_from_interface": // tables and 2.1
			case "builtin_lit", "case", "update":
			default:
				add(m.Interface().(*archivepb.Expr))
			}
		})
	f.each(func() protoreflect.Message { return (&archivepb.Update{}).ProtoReflect() },
		func(_ protoreflect.Name, m protoreflect.Message) {
			add(&archivepb.Expr{Sum: &archivepb.Expr_Update{Update: m.Interface().(*archivepb.Update)}})
		})
	f.each(func() protoreflect.Message { return (&archivepb.CaseAlt{}).ProtoReflect() },
		func(_ protoreflect.Name, m protoreflect.Message) {
			add(&archivepb.Expr{Sum: &archivepb.Expr_Case{Case: &archivepb.Case{
				Scrutinee: intLiteral(1), Alternatives: []*archivepb.CaseAlt{m.Interface().(*archivepb.CaseAlt)},
			}}})
		})
	f.each(func() protoreflect.Message { return (&archivepb.BuiltinLit{}).ProtoReflect() },
		func(name protoreflect.Name, m protoreflect.Message) {
			lit := m.Interface().(*archivepb.BuiltinLit)
			if name == "numeric_str" {
				lit.Sum = &archivepb.BuiltinLit_NumericStr{NumericStr: b.text("1.0")}
			}
			add(literal(lit))
		})
	return out
}

// The alternatives come from the .proto file: one that the decoder ignores fails here.
func TestReadPackage_DecodesEveryAlternative(t *testing.T) {
	t.Parallel()
	for i := range expressions(newBuilder()) {
		b := newBuilder()
		expr := expressions(b)[i]
		b.value("v", expr)
		_, err := archive.ReadPackage(b.dalf("dev"), archive.Options{Dev: true})
		require.NoError(t, err, "%v", expr)
	}
	newFiller(newBuilder()).each(func() protoreflect.Message { return (&archivepb.Type{}).ProtoReflect() },
		func(name protoreflect.Name, m protoreflect.Message) {
			typ, ok := m.Interface().(*archivepb.Type)
			require.True(t, ok)
			if name == "interned" { // only a reference
				return
			}
			b := newBuilder()
			newFiller(b)
			b.typ(typ)
			b.read(t, map[bool]string{true: "2", false: "1"}[name == "app"]) // 2.1 nests what later versions apply
		})
}

func TestReadPackage_DecodesEveryBuiltin(t *testing.T) {
	t.Parallel()
	functions := map[ast.BuiltinFunction]bool{}
	for number, name := range archivepb.BuiltinFunction_name {
		b := newBuilder()
		b.value("v", builtin(archivepb.BuiltinFunction(number)))
		body, ok := b.read(t, "dev").Module("Main").Values[0].Body.(*ast.ExpBuiltin)
		require.True(t, ok)
		require.Equal(t, name, body.Function.String())
		functions[body.Function] = true
	}
	require.Len(t, functions, len(ast.BuiltinFunctions()))

	types := map[ast.BuiltinType]bool{}
	for number := range archivepb.BuiltinType_name {
		b := newBuilder()
		b.main().Synonyms = []*archivepb.DefTypeSyn{{
			NameDname: b.dotted("S"), Type: b.typ(builtinType(archivepb.BuiltinType(number))),
		}}
		builtin, ok := b.read(t, "dev").Module("Main").Synonyms[0].Type.(*ast.TyBuiltin)
		require.True(t, ok)
		types[builtin.Type] = true
	}
	require.Len(t, types, len(ast.BuiltinTypes()))
}
