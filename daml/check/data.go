package check

import (
	"slices"
	"sort"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/ledger/fault"
)

// typeOfData finds the types of records, variants, enums and structs.
func (c *checker) typeOfData(e ast.Expr) ast.Type {
	switch e := e.(type) {
	case *ast.ExpRecCon:
		return c.typeOfRecCon(e)
	case *ast.ExpRecProj:
		record, field := c.field(ExpRecProj, e.Type, e.Field)
		c.expect(ExpRecProj, e.Record, record)
		return field
	case *ast.ExpRecUpdate:
		record, field := c.field(ExpRecUpdate, e.Type, e.Field)
		c.expect(ExpRecUpdate, e.Record, record)
		c.expect(ExpRecUpdate, e.Update, field)
		return record
	case *ast.ExpVariantCon:
		return c.typeOfVarCon(e)
	case *ast.ExpEnumCon:
		c.enum(ExpEnumCon, c.dataType(ExpEnumCon, e.Type), e.Constructor)
		return &ast.TyCon{Name: e.Type}
	case *ast.ExpStructCon:
		return c.typeOfStructCon(e)
	case *ast.ExpStructProj:
		typ := c.typeOf(e.Struct)
		return c.structField(ExpStructProj, typ, e.Field)
	case *ast.ExpStructUpdate:
		typ := c.typeOf(e.Struct)
		c.expect(ExpStructUpdate, e.Update, c.structField(ExpStructUpdate, typ, e.Field))
		return typ
	default:
		return c.typeOfAny(e)
	}
}

func (c *checker) typeOfRecCon(e *ast.ExpRecCon) ast.Type {
	definition, args := c.typeCon(ExpRecCon, e.Type)
	fields := c.recordFields(ExpRecCon, definition, e.Type)
	if c.failure == nil && len(e.Fields) != len(fields) {
		c.fail(ExpRecCon, "Record %s has %d fields, not %d", c.showName(e.Type.Name), len(fields), len(e.Fields))
	}
	if c.failure != nil {
		return nil
	}
	substitution := c.substitutionOf(definition.Params, args)
	for i, field := range e.Fields {
		if field.Name != fields[i].Name {
			c.fail(ExpRecCon, "Field %d of record %s is %s, not %s", i+1, c.showName(e.Type.Name),
				fault.Shorten(fields[i].Name), fault.Shorten(field.Name))
		}
		c.expect(ExpRecCon, field.Expr, c.substitute(substitution, fields[i].Type))
	}
	return ast.TypeConApp{Name: e.Type.Name, Args: args}.Type()
}

func (c *checker) recordFields(rule Rule, definition *ast.DefDataType, app ast.TypeConApp) []ast.Field {
	if definition == nil {
		return nil
	}
	record, ok := definition.Cons.(*ast.RecordCons)
	if !ok {
		c.fail(rule, "Type %s is not a record type", c.showName(app.Name))
		return nil
	}
	return record.Fields
}

// field finds the type of a record and of one of its fields.
func (c *checker) field(rule Rule, app ast.TypeConApp, name string) (record, field ast.Type) {
	definition, args := c.typeCon(rule, app)
	fields := c.recordFields(rule, definition, app)
	if c.failure != nil {
		return nil, nil
	}
	index := c.fieldIndex(fields, name)
	if index < 0 {
		c.fail(rule, "Record %s has no field %s", c.showName(app.Name), fault.Shorten(name))
		return nil, nil
	}
	return ast.TypeConApp{Name: app.Name, Args: args}.Type(),
		c.substitute(c.substitutionOf(definition.Params, args), fields[index].Type)
}

func (c *checker) typeOfVarCon(e *ast.ExpVariantCon) ast.Type {
	definition, args := c.typeCon(ExpVarCon, e.Type)
	if c.failure != nil {
		return nil
	}
	variant, ok := definition.Cons.(*ast.VariantCons)
	if !ok {
		c.fail(ExpVarCon, "Type %s is not a variant type", c.showName(e.Type.Name))
		return nil
	}
	index := c.fieldIndex(variant.Constructors, e.Constructor)
	if index < 0 {
		c.fail(ExpVarCon, "Variant %s has no constructor %s", c.showName(e.Type.Name), fault.Shorten(e.Constructor))
		return nil
	}
	c.expect(ExpVarCon, e.Argument,
		c.substitute(c.substitutionOf(definition.Params, args), variant.Constructors[index].Type))
	return ast.TypeConApp{Name: e.Type.Name, Args: args}.Type()
}

// fieldIndex is the place of a name among fields; -1 when it is not there.
func (c *checker) fieldIndex(fields []ast.Field, name string) int {
	c.spend(len(fields))
	return ast.FieldIndex(fields, name)
}

// enum checks that a data type is an enum with a constructor.
func (c *checker) enum(rule Rule, definition *ast.DefDataType, constructor string) {
	if definition == nil {
		return
	}
	enum, ok := definition.Cons.(*ast.EnumCons)
	if !ok {
		c.fail(rule, "Type %s is not an enum type", fault.Shorten(definition.Name))
		return
	}
	c.spend(len(enum.Constructors))
	if slices.Contains(enum.Constructors, constructor) {
		return
	}
	c.fail(rule, "Enum %s has no constructor %s", fault.Shorten(definition.Name), fault.Shorten(constructor))
}

func (c *checker) typeOfStructCon(e *ast.ExpStructCon) ast.Type {
	fields := make([]ast.Field, len(e.Fields))
	for i, field := range e.Fields {
		fields[i] = ast.Field{Name: field.Name, Type: c.typeOf(field.Expr)}
	}
	sort.Slice(fields, func(i, j int) bool { return fields[i].Name < fields[j].Name })
	for i := 1; i < len(fields); i++ {
		if fields[i].Name == fields[i-1].Name {
			c.fail(ExpStructCon, "A struct has field %s twice", fault.Shorten(fields[i].Name))
		}
	}
	return &ast.TyStruct{Fields: fields}
}

func (c *checker) structField(rule Rule, typ ast.Type, name string) ast.Type {
	structType, ok := c.head(typ).(*ast.TyStruct)
	if !ok {
		c.mismatch(rule, "An expression must be a struct", "a struct", c.show(typ))
		return nil
	}
	index := c.fieldIndex(structType.Fields, name)
	if index < 0 {
		c.fail(rule, "Struct %s has no field %s", c.show(typ), fault.Shorten(name))
		return nil
	}
	return structType.Fields[index].Type
}

// typeOfAny finds the types of existential values and exceptions.
func (c *checker) typeOfAny(e ast.Expr) ast.Type {
	switch e := e.(type) {
	case *ast.ExpToAny:
		c.ground(ExpToAny, e.Type)
		c.expect(ExpToAny, e.Expr, e.Type)
		return anyType
	case *ast.ExpFromAny:
		c.ground(ExpFromAny, e.Type)
		c.expect(ExpFromAny, e.Expr, anyType)
		return optional(e.Type)
	case *ast.ExpTypeRep:
		c.ground(ExpTypeRep, e.Type)
		return typeRep
	case *ast.ExpThrow:
		out := c.star(ExpThrow, e.ReturnType)
		c.exceptionType(ExpThrow, e.ExceptionType)
		c.expect(ExpThrow, e.Exception, e.ExceptionType)
		return out
	case *ast.ExpToAnyException:
		c.exceptionType(ExpToAnyException, e.Type)
		c.expect(ExpToAnyException, e.Expr, e.Type)
		return anyException
	case *ast.ExpFromAnyException:
		c.exceptionType(ExpFromAnyException, e.Type)
		c.expect(ExpFromAnyException, e.Expr, anyException)
		return optional(e.Type)
	case *ast.ExpExperimental:
		return c.star(ExpExperimental, e.Type)
	default:
		return c.typeOfInterface(e)
	}
}

// ground checks that a type is of kind ⋆ in the empty context, without quantifiers and synonyms. Before 2.dev it is a
// type constructor.
func (c *checker) ground(rule Rule, t ast.Type) {
	if _, isConstructor := t.(*ast.TyCon); c.pkg.Version < ast.V2_dev && !isConstructor {
		c.fail(rule, "Type %s is not a type constructor", c.show(t))
	}
	if !c.isGround(t) {
		c.fail(rule, "Type %s has variables, quantifiers or synonyms", c.show(t))
	}
	c.expectKind(rule, t, star)
}

func (c *checker) isGround(t ast.Type) bool {
	if !c.enter() {
		return true
	}
	defer c.leave()
	switch t := t.(type) {
	case *ast.TyVar, *ast.TyForall, *ast.TySyn:
		return false
	case *ast.TyApp:
		for _, arg := range t.Args {
			if !c.isGround(arg) {
				return false
			}
		}
		return c.isGround(t.Fun)
	case *ast.TyStruct:
		for _, field := range t.Fields {
			if !c.isGround(field.Type) {
				return false
			}
		}
	}
	return true
}

// exceptionType checks ⊢ₑ τ: the rule ExnTyDefException.
func (c *checker) exceptionType(rule Rule, t ast.Type) {
	constructor, ok := t.(*ast.TyCon)
	if !ok {
		c.fail(rule, "Type %s is not an exception", c.show(t))
		return
	}
	c.exception(rule, constructor.Name)
}
