package dartest

import (
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/florinledger/florin/daml/archive/archivepb"
	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/daml/asttest"
	"github.com/florinledger/florin/ledger/lf"
)

// encoder writes one package, with tables of its texts, names and types.
type encoder struct {
	tb    TB
	pkg   *archivepb.Package
	texts map[string]int32
	types map[string]int32 // by encoding
}

func (e *encoder) marshal(message proto.Message) []byte {
	encoded, err := proto.MarshalOptions{Deterministic: true}.Marshal(message)
	if err != nil {
		e.tb.Fatal(err)
	}
	return encoded
}

func (e *encoder) text(text string) int32 {
	index, ok := e.texts[text]
	if !ok {
		index = int32(len(e.pkg.InternedStrings))
		e.texts[text] = index
		e.pkg.InternedStrings = append(e.pkg.InternedStrings, text)
	}
	return index
}

func (e *encoder) dotted(name string) int32 {
	dotted := &archivepb.DottedName{SegmentsStr: each(strings.Split(name, "."), e.text)}
	e.pkg.InternedDottedNames = append(e.pkg.InternedDottedNames, dotted)
	return int32(len(e.pkg.InternedDottedNames) - 1)
}

func (e *encoder) ref(pkg lf.PackageID, module, name string) *archivepb.DefRef {
	of := &archivepb.PackageRef{Sum: &archivepb.PackageRef_Self{Self: &archivepb.Unit{}}}
	if pkg != asttest.PackageID {
		of.Sum = &archivepb.PackageRef_ImportedStr{ImportedStr: e.text(string(pkg))}
	}
	return &archivepb.DefRef{
		Module: &archivepb.ModuleRef{Package: of, NameDname: e.dotted(module)}, NameDname: e.dotted(name),
	}
}

func (e *encoder) typeRef(name lf.TypeName) *archivepb.DefRef {
	return e.ref(name.Package, name.Module, name.Entity)
}

func each[A, B any](list []A, of func(A) B) []B {
	out := make([]B, len(list))
	for i, element := range list {
		out[i] = of(element)
	}
	return out
}

// typ puts a type into the table, and refers to it.
func (e *encoder) typ(t ast.Type) *archivepb.Type {
	var out *archivepb.Type
	fun, args := ast.Unapply(t)
	switch fun := fun.(type) {
	case *ast.TyBuiltin:
		encoded := archivepb.BuiltinType_value[builtinTypes[fun.Type]]
		out = &archivepb.Type{Sum: &archivepb.Type_Builtin_{
			Builtin: &archivepb.Type_Builtin{Builtin: archivepb.BuiltinType(encoded), Args: each(args, e.typ)},
		}}
	case *ast.TyCon:
		out = &archivepb.Type{Sum: &archivepb.Type_Con_{
			Con: &archivepb.Type_Con{Name: e.typeRef(fun.Name), Args: each(args, e.typ)},
		}}
	case *ast.TyVar:
		out = &archivepb.Type{Sum: &archivepb.Type_Var_{
			Var: &archivepb.Type_Var{NameStr: e.text(fun.Name), Args: each(args, e.typ)},
		}}
	case *ast.TyNat:
		out = &archivepb.Type{Sum: &archivepb.Type_Nat{Nat: int64(fun.Value)}}
	default:
		e.tb.Fatalf("a type %T is not written", t)
	}
	e.pkg.InternedTypes = append(e.pkg.InternedTypes, out)
	return &archivepb.Type{Sum: &archivepb.Type_Interned{Interned: int32(len(e.pkg.InternedTypes) - 1)}}
}

// builtinTypes are the names of built-in types in archives.
var builtinTypes = map[ast.BuiltinType]string{
	ast.Unit: "UNIT", ast.Bool: "BOOL", ast.Int64: "INT64", ast.Party: "PARTY", ast.Text: "TEXT",
	ast.ContractID: "CONTRACT_ID", ast.Optional: "OPTIONAL", ast.List: "LIST", ast.Arrow: "ARROW", ast.Update: "UPDATE",
	ast.Timestamp: "TIMESTAMP", ast.Date: "DATE", ast.Numeric: "NUMERIC", ast.TextMap: "TEXTMAP", ast.GenMap: "GENMAP",
}

func (e *encoder) module(module *ast.Module) *archivepb.Module {
	return &archivepb.Module{
		NameDname: e.dotted(module.Name), DataTypes: each(module.DataTypes, e.dataType),
		Values: each(module.Values, e.value), Templates: each(module.Templates, e.template),
		Interfaces: each(module.Interfaces, e.interfaceOf),
		Flags: &archivepb.FeatureFlags{
			ForbidPartyLiterals: true, DontDivulgeContractIdsInCreateArguments: true,
			DontDiscloseNonConsumingChoicesToObservers: true,
		},
	}
}

func (e *encoder) dataType(definition *ast.DefDataType) *archivepb.DefDataType {
	out := &archivepb.DefDataType{
		NameDname: e.dotted(definition.Name), Serializable: definition.Serializable, Params: each(definition.Params, e.param),
	}
	switch cons := definition.Cons.(type) {
	case *ast.RecordCons:
		out.Sum = &archivepb.DefDataType_Record{Record: &archivepb.DefDataType_Fields{Fields: each(cons.Fields, e.field)}}
	case *ast.VariantCons:
		out.Sum = &archivepb.DefDataType_Variant{
			Variant: &archivepb.DefDataType_Fields{Fields: each(cons.Constructors, e.field)},
		}
	case *ast.EnumCons:
		out.Sum = &archivepb.DefDataType_Enum{
			Enum: &archivepb.DefDataType_Constructors{NamesStr: each(cons.Constructors, e.text)},
		}
	case *ast.InterfaceCons:
		out.Sum = &archivepb.DefDataType_Interface{Interface: &archivepb.Unit{}}
	}
	return out
}

// param writes a type parameter of kind ⋆.
func (e *encoder) param(of ast.TypeBinder) *archivepb.TypeVarKind {
	star := &archivepb.Kind{Sum: &archivepb.Kind_Star{Star: &archivepb.Unit{}}}
	return &archivepb.TypeVarKind{NameStr: e.text(of.Name), Kind: star}
}

func (e *encoder) field(field ast.Field) *archivepb.FieldType {
	return &archivepb.FieldType{NameStr: e.text(field.Name), Type: e.typ(field.Type)}
}

func (e *encoder) binder(binder ast.Binder) *archivepb.VarType {
	return &archivepb.VarType{NameStr: e.text(binder.Name), Type: e.typ(binder.Type)}
}

func (e *encoder) value(definition *ast.DefValue) *archivepb.DefValue {
	return &archivepb.DefValue{
		Name: &archivepb.DefValue_NameType{NameDname: e.dotted(definition.Name), Type: e.typ(definition.Type)},
		Expr: e.expr(definition.Body),
	}
}

func (e *encoder) template(definition *ast.DefTemplate) *archivepb.DefTemplate {
	return &archivepb.DefTemplate{
		NameDname: e.dotted(definition.Name), ParamStr: e.text(definition.Param),
		Precondition: e.expr(definition.Precondition), Signatories: e.expr(definition.Signatories),
		Observers: e.expr(definition.Observers), Choices: each(definition.Choices, e.choice),
		Implements: each(definition.Implements, e.implements),
	}
}

func (e *encoder) implements(implements *ast.Implements) *archivepb.DefTemplate_Implements {
	return &archivepb.DefTemplate_Implements{
		Interface: e.typeRef(implements.Interface),
		Body: &archivepb.InterfaceInstance{
			View: e.expr(implements.View),
			Methods: each(implements.Methods, func(m ast.MethodBody) *archivepb.InterfaceInstance_Method {
				return &archivepb.InterfaceInstance_Method{NameStr: e.text(m.Name), Value: e.expr(m.Body)}
			}),
		},
	}
}

func (e *encoder) interfaceOf(definition *ast.DefInterface) *archivepb.DefInterface {
	return &archivepb.DefInterface{
		NameDname: e.dotted(definition.Name), ParamStr: e.text(definition.Param), View: e.typ(definition.View),
		Requires: each(definition.Requires, e.typeRef), Choices: each(definition.Choices, e.choice),
		Methods: each(definition.Methods, func(m ast.Method) *archivepb.InterfaceMethod {
			return &archivepb.InterfaceMethod{NameStr: e.text(m.Name), Type: e.typ(m.Type)}
		}),
	}
}

func (e *encoder) choice(choice *ast.Choice) *archivepb.Choice {
	observers := choice.Observers
	if observers == nil {
		observers = &ast.ExpListNil{Type: &ast.TyBuiltin{Type: ast.Party}}
	}
	return &archivepb.Choice{
		NameStr: e.text(choice.Name), Consuming: choice.Consuming, SelfStr: e.text(choice.Self),
		Argument: e.binder(choice.Argument), ReturnType: e.typ(choice.ReturnType),
		Controllers: e.expr(choice.Controllers), Observers: e.expr(observers), Update: e.expr(choice.Update),
	}
}
