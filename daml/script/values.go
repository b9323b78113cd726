package script

import (
	"context"
	"fmt"
	"slices"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/daml/engine"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// reader reads values of questions. It finds fields by name, because they differ between versions of the library. It
// keeps the first error; values after it have no meaning.
type reader struct{ err error }

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
}

// as converts a value to its Go type.
func as[T any](r *reader, v engine.Value) T {
	out, ok := v.(T)
	if !ok {
		r.fail("a question has a %T where a %T is expected", v, out)
	}
	return out
}

func field[T any](r *reader, of *engine.Record, name string) (out T) {
	if v, ok := lookup(of, name); ok {
		return as[T](r, v)
	}
	r.fail("a question lacks the field %s", name)
	return out
}

func lookup(of *engine.Record, name string) (engine.Value, bool) {
	if of != nil {
		for i, label := range of.Type.Labels {
			if label == name {
				return of.Fields[i], true
			}
		}
	}
	return nil, false
}

// only reads the content of a record with one field.
func only[T any](r *reader, of *engine.Record) (out T) {
	if of == nil || len(of.Fields) != 1 {
		r.fail("a question has a record of several fields where a record of one field is expected")
		return out
	}
	return as[T](r, of.Fields[0])
}

func list[T any](r *reader, of *engine.List) []T {
	var out []T
	for ; of != nil; of = of.Tail {
		out = append(out, as[T](r, of.Head))
	}
	return out
}

func (r *reader) parties(of *engine.List) []ledger.Party { return list[lf.Party](r, of) }

// typeName reads the type of a TemplateTypeRep.
func (r *reader) typeName(of *engine.Record) lf.TypeName {
	rep := only[*engine.TypeRep](r, of)
	if rep == nil {
		return lf.TypeName{}
	}
	name, ok := rep.IsCon()
	if !ok {
		r.fail("%s is not a template or an interface", rep)
	}
	return name
}

// template reads the template and the content of an AnyTemplate.
func (r *reader) template(of *engine.Record) (lf.TypeName, engine.Value) {
	content := only[*engine.Any](r, of)
	if content == nil {
		return lf.TypeName{}, nil
	}
	name, ok := content.Type.IsCon()
	if !ok {
		r.fail("%s is not a template", content.Type)
	}
	return name, content.Value
}

// choice reads the name and the argument of an AnyChoice. The argument's type has the name of the choice.
func (r *reader) choice(of *engine.Record) (string, engine.Value) {
	content := field[*engine.Any](r, of, "getAnyChoice")
	if content == nil {
		return "", nil
	}
	name, ok := content.Type.IsCon()
	if !ok {
		r.fail("%s is not the type of a choice", content.Type)
	}
	return name.Entity, content.Value
}

// Packages with the same id in every release of the SDK.
const (
	tuples   lf.PackageID = "5aee9b21b8e9a4c4975b5f4c4198e6e6e8469df49e2010820e792f393db870f4"
	nonEmpty lf.PackageID = "bde4bd30749e99603e5afa354706608601029e225d4983324d617825b634253a"
	anyTypes lf.PackageID = "6f8e6085f5769861ae7a40dccd618d6f747297d59b37cab89b93e2fa80b0c024"
	statuses lf.PackageID = "7adc4c2d07fa3a51173c843cba36e610c1168b2dbbf53076e20c0092eae8763d"
)

var (
	tuple2         = lf.TypeName{Package: tuples, Module: "DA.Types", Entity: "Tuple2"}
	tuple3         = lf.TypeName{Package: tuples, Module: "DA.Types", Entity: "Tuple3"}
	eitherType     = lf.TypeName{Package: tuples, Module: "DA.Types", Entity: "Either"}
	nonEmptyType   = lf.TypeName{Package: nonEmpty, Module: "DA.NonEmpty.Types", Entity: "NonEmpty"}
	anyTemplate    = lf.TypeName{Package: anyTypes, Module: "DA.Internal.Any", Entity: "AnyTemplate"}
	anyKey         = lf.TypeName{Package: anyTypes, Module: "DA.Internal.Any", Entity: "AnyContractKey"}
	anyChoice      = lf.TypeName{Package: anyTypes, Module: "DA.Internal.Any", Entity: "AnyChoice"}
	templateRep    = lf.TypeName{Package: anyTypes, Module: "DA.Internal.Any", Entity: "TemplateTypeRep"}
	failureStatus  = lf.TypeName{Package: statuses, Module: "DA.Internal.Fail.Types", Entity: "FailureStatus"}
	unit           = engine.Value(lf.Unit{})
	none           = engine.Value((*engine.Optional)(nil))
	emptyList      = engine.Value((*engine.List)(nil))
	questionsRoot  = "Daml.Script.Internal.Questions."
	errorModule    = questionsRoot + "Submit.Error"
	commandsModule = questionsRoot + "Commands"
	usersModule    = questionsRoot + "UserManagement"
	partiesModule  = questionsRoot + "PartyManagement"
	treeModule     = questionsRoot + "TransactionTree"
)

// maker makes values of answers, and keeps the first error.
type maker struct {
	ctx     context.Context //nolint:containedctx // of the run
	program *engine.Program
	// library is the package of the script's library.
	library lf.PackageID
	err     error
}

func (m *maker) keep(err error) {
	if m.err == nil {
		m.err = err
	}
}

// in names a type of the library.
func (m *maker) in(module, entity string) lf.TypeName {
	return lf.TypeName{Package: m.library, Module: module, Entity: entity}
}

// fieldValues are the fields of a record by name.
type fieldValues map[string]engine.Value

// record makes a record with those of the fields that the type has.
func (m *maker) record(name lf.TypeName, fields fieldValues) engine.Value {
	def := m.program.Packages().DataType(name)
	if def == nil {
		m.keep(fmt.Errorf("the packages do not have the type %s", name))
		return unit
	}
	cons, ok := def.Cons.(*ast.RecordCons)
	if !ok {
		m.keep(fmt.Errorf("the type %s is not a record type", name))
		return unit
	}
	values := make([]engine.Value, len(cons.Fields))
	for i, field := range cons.Fields {
		v, ok := fields[field.Name]
		if !ok {
			if optional, isApp := field.Type.(*ast.TyApp); isApp && isBuiltin(optional.Fun, ast.Optional) {
				v, ok = none, true
			}
		}
		if !ok {
			m.keep(fmt.Errorf("the type %s has an unknown field %s", name, field.Name))
		}
		values[i] = v
	}
	out, err := m.program.NewRecord(name, values...)
	m.keep(err)
	return out
}

func isBuiltin(t ast.Type, of ast.BuiltinType) bool {
	builtin, ok := t.(*ast.TyBuiltin)
	return ok && builtin.Type == of
}

func (m *maker) variant(name lf.TypeName, constructor string, v engine.Value) engine.Value {
	out, err := m.program.NewVariant(name, constructor, v)
	m.keep(err)
	return out
}

func (m *maker) hasConstructor(name lf.TypeName, constructor string) bool {
	def := m.program.Packages().DataType(name)
	if def == nil {
		return false
	}
	switch cons := def.Cons.(type) {
	case *ast.VariantCons:
		return ast.FieldIndex(cons.Constructors, constructor) >= 0
	case *ast.EnumCons:
		return slices.Contains(cons.Constructors, constructor)
	}
	return false
}

// nullary makes a value without content: of an enum, or of a variant with unit or an empty record.
func (m *maker) nullary(name lf.TypeName, constructor string) engine.Value {
	def := m.program.Packages().DataType(name)
	if def == nil {
		m.keep(fmt.Errorf("the packages do not have the type %s", name))
		return unit
	}
	if _, isEnum := def.Cons.(*ast.EnumCons); isEnum {
		out, err := m.program.NewEnum(name, constructor)
		m.keep(err)
		return out
	}
	return m.withFields(name, constructor, nil)
}

// withFields makes a value of a variant whose content is unit or a record with the constructor's name.
func (m *maker) withFields(name lf.TypeName, constructor string, fields fieldValues) engine.Value {
	content := name
	content.Entity += "." + constructor
	if m.program.Packages().DataType(content) == nil {
		return m.variant(name, constructor, unit)
	}
	return m.variant(name, constructor, m.record(content, fields))
}

func (m *maker) pair(a, b engine.Value) engine.Value {
	return m.record(tuple2, fieldValues{"_1": a, "_2": b})
}

func (m *maker) left(v engine.Value) engine.Value  { return m.variant(eitherType, "Left", v) }
func (m *maker) right(v engine.Value) engine.Value { return m.variant(eitherType, "Right", v) }

func some(v engine.Value) engine.Value { return &engine.Optional{Value: v} }

func listOf[T any](elements []T, value func(T) engine.Value) engine.Value {
	var out []engine.Value
	for _, element := range elements {
		out = append(out, value(element))
	}
	return engine.ListOf(out...)
}

func partyValue(party ledger.Party) engine.Value { return party }

func (m *maker) typeRep(name lf.TypeName) engine.Value {
	return m.record(templateRep, fieldValues{"getTemplateTypeRep": m.program.NewTypeRep(&ast.TyCon{Name: name})})
}

func (m *maker) template(name lf.TypeName, argument engine.Value) engine.Value {
	return m.record(anyTemplate, fieldValues{"getAnyTemplate": m.program.NewAny(&ast.TyCon{Name: name}, argument)})
}

// contractKey makes an AnyContractKey: that of the library, or in old libraries the standard one, which has the type.
func (m *maker) contractKey(template lf.TypeName, encoded []byte) engine.Value {
	key, typ, err := m.program.Key(template, encoded)
	m.keep(err)
	name := m.in(commandsModule, "AnyContractKey")
	if m.program.Packages().DataType(name) == nil && err == nil {
		name, key = anyKey, m.program.NewAny(typ, key)
	}
	return m.record(name, fieldValues{"getAnyContractKey": key, "getAnyContractKeyTemplateTypeRep": m.typeRep(template)})
}

func (m *maker) contractID(template lf.TypeName, id ledger.ContractID) engine.Value {
	return m.record(m.in(questionsRoot+"Util", "AnyContractId"), fieldValues{
		"templateId": m.typeRep(template), "contractId": id,
	})
}
