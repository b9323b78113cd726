package upgrade

import (
	"strings"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

func (c *checker) name(module *ast.Module, entity string) lf.TypeName {
	return lf.TypeName{Package: c.present.ID, Module: module.Name, Entity: entity}
}

// isOwned reports whether a data type belongs to an interface or an exception.
func (c *checker) isOwned(p *ast.Package, module *ast.Module, entity string) bool {
	packages := ast.Packages{p.ID: p}
	name := lf.TypeName{Package: p.ID, Module: module.Name, Entity: entity}
	return packages.Interface(name) != nil || packages.Exception(name) != nil
}

// origin is the definition that a data type belongs to.
type origin struct {
	what          string // a template, a choice, a constructor; "" for nothing
	ofConstructor bool
}

func (o origin) String() string {
	if o.what == "" {
		return "nothing else"
	}
	return fault.Shorten(o.what)
}

// originsOf returns the origins of a module's data types by name, for those that have one.
func originsOf(module *ast.Module) map[string]origin {
	out := map[string]origin{}
	for _, definition := range module.DataTypes {
		variant, ok := definition.Cons.(*ast.VariantCons)
		if !ok {
			continue
		}
		for _, constructor := range variant.Constructors {
			head, _ := ast.Unapply(constructor.Type)
			if _, isDefined := head.(*ast.TyCon); isDefined {
				out[definition.Name+"."+constructor.Name] = origin{
					"constructor " + constructor.Name + " of variant " + definition.Name, true,
				}
			}
		}
	}
	for _, template := range module.Templates {
		folder := template.Name[:strings.LastIndexByte(template.Name, '.')+1]
		for _, choice := range template.Choices {
			out[folder+choice.Name] = origin{what: "choice " + choice.Name + " of template " + template.Name}
		}
	}
	for _, template := range module.Templates {
		out[template.Name] = origin{what: "template " + template.Name}
	}
	return out
}

func (c *checker) checkDataType(past, present *ast.DefDataType, ofConstructor bool) {
	if !present.Serializable {
		c.fail(DataTypeUnserializable, "the data type is not serializable any more")
		return
	}
	if len(past.Params) != len(present.Params) {
		c.fail(ParamCount, "the data type takes %d parameters, and took %d", len(present.Params), len(past.Params))
		return
	}
	for i, param := range past.Params {
		was, is := ast.KindNotation(param.Kind), ast.KindNotation(present.Params[i].Kind)
		if was != is {
			c.fail(ParamKind, "parameter %d is of kind %s, and was of kind %s", i+1, is, was)
		}
	}
	switch was := past.Cons.(type) {
	case *ast.RecordCons:
		if is, ok := present.Cons.(*ast.RecordCons); ok {
			c.checkRecord(past, present, was.Fields, is.Fields, ofConstructor)
			return
		}
	case *ast.VariantCons:
		if is, ok := present.Cons.(*ast.VariantCons); ok {
			c.checkVariant(past, present, was.Constructors, is.Constructors)
			return
		}
	case *ast.EnumCons:
		if is, ok := present.Cons.(*ast.EnumCons); ok {
			c.checkEnum(was.Constructors, is.Constructors)
			return
		}
	}
	c.fail(VarietyChanged, "the data type is %s, and was %s", variety(present), variety(past))
}

func variety(definition *ast.DefDataType) string {
	switch definition.Cons.(type) {
	case *ast.RecordCons:
		return "a record"
	case *ast.VariantCons:
		return "a variant"
	case *ast.EnumCons:
		return "an enum"
	default:
		return "an interface"
	}
}

func (c *checker) checkRecord(past, present *ast.DefDataType, was, is []ast.Field, ofConstructor bool) {
	older, newer := byName(was), byName(is)
	pastParams, presentParams := placesOf(past.Params), placesOf(present.Params)
	for _, field := range was {
		typ, ok := newer[field.Name]
		if !ok {
			c.fail(FieldMissing, "field %s is missing", fault.Shorten(field.Name))
			return
		}
		c.sameType(FieldType, "field "+field.Name, pastParams, presentParams, field.Type, typ)
	}
	for _, field := range is {
		if older[field.Name] != nil || isOptional(field.Type) {
			continue
		}
		if ofConstructor {
			c.fail(ConstructorFieldAdded, "new field %s must be Optional", fault.Shorten(field.Name))
		}
		c.fail(FieldNotOptional, "new field %s must be Optional", fault.Shorten(field.Name))
	}
	for i, field := range was {
		if is[i].Name != field.Name {
			c.fail(FieldOrder, "field %d is %s, and was %s: new fields must come last", i+1,
				fault.Shorten(is[i].Name), fault.Shorten(field.Name))
			return
		}
	}
}

func byName(fields []ast.Field) map[string]ast.Type {
	out := make(map[string]ast.Type, len(fields))
	for _, field := range fields {
		out[field.Name] = field.Type
	}
	return out
}

func isOptional(t ast.Type) bool {
	head, args := ast.Unapply(t)
	builtin, ok := head.(*ast.TyBuiltin)
	return ok && builtin.Type == ast.Optional && len(args) == 1
}

func (c *checker) checkVariant(past, present *ast.DefDataType, was, is []ast.Field) {
	pastParams, presentParams := placesOf(past.Params), placesOf(present.Params)
	c.checkEnum(namesOf(was), namesOf(is))
	if c.failure != nil {
		return
	}
	for i, constructor := range was {
		c.sameType(ConstructorType, "constructor "+constructor.Name, pastParams, presentParams, constructor.Type,
			is[i].Type)
	}
}

func namesOf(fields []ast.Field) []string {
	out := make([]string, len(fields))
	for i, field := range fields {
		out[i] = field.Name
	}
	return out
}

// checkEnum compares the constructors of an enum or a variant.
func (c *checker) checkEnum(was, is []string) {
	newer := make(map[string]bool, len(is))
	for _, name := range is {
		newer[name] = true
	}
	for _, name := range was {
		if !newer[name] {
			c.fail(ConstructorMissing, "constructor %s is missing", fault.Shorten(name))
			return
		}
	}
	for i, name := range was {
		if is[i] != name {
			c.fail(ConstructorOrder, "constructor %d is %s, and was %s: new constructors must come last", i+1,
				fault.Shorten(is[i]), fault.Shorten(name))
			return
		}
	}
}

// sameType checks that a type of the newer version accepts the values of the older type. The names of parameters may
// differ.
func (c *checker) sameType(rule Rule, what string, pastParams, presentParams places, past, present ast.Type) {
	if c.failure != nil || c.fits(pastParams, presentParams, past, present) {
		return
	}
	c.fail(rule, "%s has a different type", fault.Shorten(what))
	c.failure.Past, c.failure.Present = ast.Notation(past, nil), ast.Notation(present, nil)
	if c.failure.Past == c.failure.Present {
		c.failure.Past, c.failure.Present = ast.Notation(past, c.packages), ast.Notation(present, c.packages)
	}
}

func (c *checker) fits(pastParams, presentParams places, past, present ast.Type) bool {
	switch past := past.(type) {
	case *ast.TyVar:
		present, ok := present.(*ast.TyVar)
		if !ok {
			return false
		}
		was, known := pastParams[past.Name]
		is, knownToo := presentParams[present.Name]
		return known && knownToo && was == is
	case *ast.TyNat:
		present, ok := present.(*ast.TyNat)
		return ok && past.Value == present.Value
	case *ast.TyBuiltin:
		present, ok := present.(*ast.TyBuiltin)
		return ok && past.Type == present.Type
	case *ast.TyCon:
		present, ok := present.(*ast.TyCon)
		return ok && c.isVersionOf(past.Name, present.Name)
	case *ast.TyApp:
		present, ok := present.(*ast.TyApp)
		if !ok || len(past.Args) != len(present.Args) || !c.fits(pastParams, presentParams, past.Fun, present.Fun) {
			return false
		}
		for i, arg := range past.Args {
			if !c.fits(pastParams, presentParams, arg, present.Args[i]) {
				return false
			}
		}
		return true
	default:
		return false // no other type is serializable
	}
}

// places are the positions of the parameters of a data type, by name.
type places map[string]int

func placesOf(params []ast.TypeBinder) places {
	out := make(places, len(params))
	for i, param := range params {
		out[param.Name] = i
	}
	return out
}

// isVersionOf reports whether present is past, or has the same name in a newer version of its package.
func (c *checker) isVersionOf(past, present lf.TypeName) bool {
	if past == present {
		return true
	}
	was, is := c.packages[past.Package], c.packages[present.Package]
	return past.Module == present.Module && past.Entity == present.Entity && was != nil && is != nil &&
		was.Name == is.Name && CompareReleases(was.Release, is.Release) <= 0
}
