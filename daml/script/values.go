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

// reader takes values of questions apart. Fields are found by name, for they differ between versions of the library.
// The first value that is not as expected is its error, and what is read from then on does not matter.
type reader struct{ err error }

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
}

// as is a value of the Go type that it has to be of.
func as[T any](r *reader, v engine.Value) T {
	out, ok := v.(T)
	if !ok {
		r.fail("a question has a %T where a %T is expected", v, out)
	}
	return out
}

// field is a field of a record.
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

// only is the content of a record with one field.
func only[T any](r *reader, of *engine.Record) (out T) {
	if of == nil || len(of.Fields) != 1 {
		r.fail("a question has a record of several fields where a record of one field is expected")
		return out
	}
	return as[T](r, of.Fields[0])
}

// list reads the elements of a list.
func list[T any](r *reader, of *engine.List) []T {
	var out []T
	for ; of != nil; of = of.Tail {
		out = append(out, as[T](r, of.Head))
	}
	return out
}

func (r *reader) parties(of *engine.List) []ledger.Party { return list[lf.Party](r, of) }

// typeName is the type that a TemplateTypeRep stands for.
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

// template is the content of an AnyTemplate, and its template.
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

// choice is the argument in an AnyChoice, and the name of its choice: that of the argument's type.
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

// Packages whose ids are the same with every release of the SDK.
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

// maker makes values of answers. Its first error stays.
type maker struct {
	ctx     context.Context //nolint:containedctx // of the run that the maker is of
	program *engine.Program
	// library is the package that the script's library is in.
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

// named are the fields of a record by their names.
type named map[string]engine.Value

// record makes a record; the type says which of the fields it has.
func (m *maker) record(name lf.TypeName, fields named) engine.Value {
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

// hasConstructor reports whether a variant or enum type has a constructor.
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

// nullary makes a value of a constructor without content: of an enum, or of a variant with unit or an empty record.
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

// withFields makes a value of a constructor whose content is a record of the constructor's name, or unit.
func (m *maker) withFields(name lf.TypeName, constructor string, fields named) engine.Value {
	content := name
	content.Entity += "." + constructor
	if m.program.Packages().DataType(content) == nil {
		return m.variant(name, constructor, unit)
	}
	return m.variant(name, constructor, m.record(content, fields))
}

func (m *maker) pair(a, b engine.Value) engine.Value {
	return m.record(tuple2, named{"_1": a, "_2": b})
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

// typeRep makes a TemplateTypeRep.
func (m *maker) typeRep(name lf.TypeName) engine.Value {
	return m.record(templateRep, named{"getTemplateTypeRep": m.program.NewTypeRep(&ast.TyCon{Name: name})})
}

// template makes an AnyTemplate.
func (m *maker) template(name lf.TypeName, argument engine.Value) engine.Value {
	return m.record(anyTemplate, named{"getAnyTemplate": m.program.NewAny(&ast.TyCon{Name: name}, argument)})
}

// contractKey makes an AnyContractKey: the library's own, or in old libraries the standard one, which has the type.
func (m *maker) contractKey(template lf.TypeName, encoded []byte) engine.Value {
	key, typ, err := m.program.Key(template, encoded)
	m.keep(err)
	name := m.in(commandsModule, "AnyContractKey")
	if m.program.Packages().DataType(name) == nil && err == nil {
		name, key = anyKey, m.program.NewAny(typ, key)
	}
	return m.record(name, named{"getAnyContractKey": key, "getAnyContractKeyTemplateTypeRep": m.typeRep(template)})
}

// contractID makes an AnyContractId.
func (m *maker) contractID(template lf.TypeName, id ledger.ContractID) engine.Value {
	return m.record(m.in(questionsRoot+"Util", "AnyContractId"), named{
		"templateId": m.typeRep(template), "contractId": id,
	})
}
