package outline

import (
	"slices"
	"strings"

	"github.com/florinledger/florin/daml/ast"
)

// Name is the full name of a template, an interface or a type.
type Name struct{ Package, Module, Entity string }

// String is the name as the API writes it.
func (n Name) String() string { return n.Package + ":" + n.Module + ":" + n.Entity }

// ParseName reads a name; false if the text is none.
func ParseName(text string) (Name, bool) {
	pkg, rest, hasPackage := strings.Cut(text, ":")
	module, entity, hasModule := strings.Cut(rest, ":")
	isName := hasPackage && hasModule && pkg != "" && module != "" && entity != "" && !strings.Contains(entity, ":")
	return Name{pkg, module, entity}, isName
}

// Kind is the kind of a type.
type Kind int

// The kinds of types.
const (
	// Other is a type of which no value can be stored, such as a function.
	Other Kind = iota
	Unit
	Bool
	Int
	Numeric
	Text
	Party
	Date
	Time
	ContractID
	Optional
	List
	TextMap
	GenMap
	// Named is a defined type, and Variable a parameter of one.
	Named
	Variable
)

// Type is a type.
type Type struct {
	Kind Kind
	// Name is the name of a Named type; of a Variable it is the entity.
	Name Name
	// Args are the arguments of a Named type, and the elements of an Optional, a list, a map or a contract id.
	Args []Type
	// Scale is the number of digits after the point of a Numeric.
	Scale int
}

// decimalScale is the scale of the Numeric that Daml calls Decimal.
const decimalScale = 10

// plainNames are the names of types without arguments, and of those with arguments before them.
var plainNames = map[Kind]string{
	Other: "a type without values", Unit: "()", Bool: "Bool", Int: "Int", Text: "Text", Party: "Party", Date: "Date",
	Time: "Time", ContractID: "ContractId", Optional: "Optional", TextMap: "TextMap", GenMap: "Map",
}

// String is the type as Daml writes it, without modules.
func (t Type) String() string { return t.text(false) }

func (t Type) text(isArgument bool) string {
	name := plainNames[t.Kind]
	switch t.Kind {
	case Numeric:
		if t.Scale == decimalScale {
			return "Decimal"
		}
		return "Numeric"
	case List:
		if len(t.Args) == 1 {
			return "[" + t.Args[0].text(false) + "]"
		}
		return "List"
	case Named, Variable:
		name = t.Name.Entity
	default:
	}
	words := []string{name}
	for _, arg := range t.Args {
		words = append(words, arg.text(true))
	}
	text := strings.Join(words, " ")
	if isArgument && len(t.Args) > 0 {
		return "(" + text + ")"
	}
	return text
}

// Field is a field of a record, or a constructor of a variant with the type of its value.
type Field struct {
	Name string
	Type Type
}

// Data is the definition of a type; exactly one of its forms is set, and an empty record has none.
type Data struct {
	Params []string
	// Fields are those of a record, Constructors those of a variant, Names those of an enum.
	Fields       []Field
	Constructors []Field
	Names        []string
	// Alias is what a synonym stands for.
	Alias *Type
}

// With is the definition with arguments for its parameters.
func (d Data) With(args []Type) Data {
	if len(d.Params) == 0 || len(args) != len(d.Params) {
		return d
	}
	by := make(map[string]Type, len(args))
	for i, param := range d.Params {
		by[param] = args[i]
	}
	out := Data{Names: d.Names, Fields: withAll(d.Fields, by), Constructors: withAll(d.Constructors, by)}
	if d.Alias != nil {
		alias := d.Alias.with(by)
		out.Alias = &alias
	}
	return out
}

func withAll(fields []Field, by map[string]Type) []Field {
	var out []Field
	for _, field := range fields {
		out = append(out, Field{field.Name, field.Type.with(by)})
	}
	return out
}

func (t Type) with(by map[string]Type) Type {
	if known, isKnown := by[t.Name.Entity]; isKnown && t.Kind == Variable {
		return known
	}
	var args []Type
	for _, arg := range t.Args {
		args = append(args, arg.with(by))
	}
	t.Args = args
	return t
}

// dataOf is the definition of a type that values can have.
func dataOf(from *ast.DefDataType) (Data, bool) {
	out := Data{Params: paramsOf(from.Params)}
	switch cons := from.Cons.(type) {
	case *ast.RecordCons:
		out.Fields = fieldsOf(cons.Fields)
	case *ast.VariantCons:
		out.Constructors = fieldsOf(cons.Constructors)
	case *ast.EnumCons:
		out.Names = cons.Constructors
	default:
		return out, false
	}
	return out, from.Serializable
}

func paramsOf(binders []ast.TypeBinder) (names []string) {
	for _, binder := range binders {
		names = append(names, binder.Name)
	}
	return names
}

func fieldsOf(fields []ast.Field) (out []Field) {
	for _, field := range fields {
		out = append(out, Field{field.Name, typeOf(field.Type)})
	}
	return out
}

var builtinKinds = map[ast.BuiltinType]Kind{
	ast.Unit: Unit, ast.Bool: Bool, ast.Int64: Int, ast.Numeric: Numeric, ast.Text: Text, ast.Party: Party,
	ast.Date: Date, ast.Timestamp: Time, ast.ContractID: ContractID, ast.Optional: Optional, ast.List: List,
	ast.TextMap: TextMap, ast.GenMap: GenMap,
}

func typeOf(from ast.Type) Type {
	fun, args := ast.Unapply(from)
	var out Type
	switch fun := fun.(type) {
	case *ast.TyBuiltin:
		out.Kind = builtinKinds[fun.Type]
	case *ast.TyCon:
		out.Kind, out.Name = Named, nameOf(fun.Name)
	case *ast.TySyn:
		out.Kind, out.Name = Named, nameOf(fun.Name)
		args = append(slices.Clip(args), fun.Args...)
	case *ast.TyVar:
		out.Kind, out.Name = Variable, Name{Entity: fun.Name}
	default:
	}
	if nat, isScale := argument(args).(*ast.TyNat); out.Kind == Numeric && isScale {
		out.Scale = nat.Value
		return out
	}
	for _, arg := range args {
		out.Args = append(out.Args, typeOf(arg))
	}
	return out
}

func argument(args []ast.Type) ast.Type {
	if len(args) != 1 {
		return nil
	}
	return args[0]
}
